//! Which requests are open, and which were until a moment ago.
//!
//! A frame for a request may be on its way while the result goes the other way. So the last
//! closed ones are remembered: a late frame for them means nothing, one for a request that never
//! was is answered, and one that opens a request twice ends the link.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use hermes_proto::executor::RequestId;
use tokio_util::sync::CancellationToken;

use super::{Clock, Credit, Input, Returns};

/// Requests open at once.
const MOST_OPEN: usize = 1024;
/// Bytes of all open requests' messages together.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Closed requests that are remembered.
const REMEMBERED: usize = 1024;

/// The ends of an open request that frames reach.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    pub(crate) id: RequestId,
    pub(crate) cancelled: CancellationToken,
    pub(crate) input: Input,
    pub(crate) credit: Credit,
    pub(crate) returns: Returns,
    pub(crate) clock: Clock,
    length: usize,
}

/// Why a request is not opened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Another one has its number.
    Duplicate,
    /// Too much is under way.
    Busy(String),
}

/// All open requests.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: RefCell<HashMap<RequestId, Rc<OpenRequest>>>,
    bytes: Cell<usize>,
    closed: RefCell<VecDeque<RequestId>>,
}

impl Requests {
    /// Opens a request whose message has this length.
    pub(crate) fn open(&self, id: RequestId, length: usize) -> Result<Rc<OpenRequest>, Refusal> {
        let mut open = self.open.borrow_mut();
        if id == RequestId::LINK || open.contains_key(&id) {
            return Err(Refusal::Duplicate);
        }
        if open.len() >= MOST_OPEN {
            return Err(Refusal::Busy(format!("{MOST_OPEN} requests are open")));
        }
        if self.bytes.get() + length > MOST_BYTES {
            return Err(Refusal::Busy(format!("open requests hold {} bytes", self.bytes.get())));
        }
        self.bytes.set(self.bytes.get() + length);
        let request = Rc::new(OpenRequest {
            id,
            cancelled: CancellationToken::new(),
            input: Input::new(),
            credit: Credit::new(),
            returns: Returns::default(),
            clock: Clock::default(),
            length,
        });
        open.insert(id, Rc::clone(&request));
        Ok(request)
    }

    pub(crate) fn close(&self, id: RequestId) {
        if let Some(request) = self.open.borrow_mut().remove(&id) {
            self.bytes.set(self.bytes.get() - request.length);
            let mut closed = self.closed.borrow_mut();
            if closed.len() >= REMEMBERED {
                closed.pop_front();
            }
            closed.push_back(id);
        }
    }

    pub(crate) fn get(&self, id: RequestId) -> Option<Rc<OpenRequest>> {
        self.open.borrow().get(&id).cloned()
    }

    pub(crate) fn was_open(&self, id: RequestId) -> bool {
        self.closed.borrow().contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, MOST_OPEN, Refusal, Requests};
    use hermes_proto::executor::RequestId;

    #[test]
    fn numbers_are_used_once_at_a_time() {
        let requests = Requests::default();
        requests.open(RequestId(1), 1).unwrap();
        assert_eq!(requests.open(RequestId(1), 1).unwrap_err(), Refusal::Duplicate);
        assert_eq!(requests.open(RequestId::LINK, 1).unwrap_err(), Refusal::Duplicate);
        requests.close(RequestId(1));
        assert!(requests.was_open(RequestId(1)) && !requests.was_open(RequestId(2)));
        assert!(requests.get(RequestId(1)).is_none());
    }

    #[test]
    fn neither_number_nor_size_is_without_end() {
        let requests = Requests::default();
        for id in 1..=MOST_OPEN {
            requests.open(RequestId(id as u32), 1).unwrap();
        }
        assert!(matches!(requests.open(RequestId(u32::MAX), 1), Err(Refusal::Busy(_))));
        requests.close(RequestId(1));
        assert!(matches!(requests.open(RequestId(u32::MAX), MOST_BYTES), Err(Refusal::Busy(_))));
        requests.open(RequestId(u32::MAX), 1).unwrap();
    }
}
