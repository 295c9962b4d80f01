//! The open requests of a link.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_proto::executor::RequestId;

use super::LinkError;
use super::inbox::{CallsBack, Inbox};

/// Shared by the callers, who add requests, and the reader, who finishes them.
#[derive(Debug)]
pub(super) struct Table(Mutex<State>);

#[derive(Debug)]
struct State {
    last: u32,
    open: HashMap<RequestId, Arc<Inbox>>,
    ended: Option<LinkError>,
}

impl Table {
    pub(super) fn new() -> Self {
        Self(Mutex::new(State { last: 0, open: HashMap::new(), ended: None }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a request under a number that no other has had on this link.
    pub(super) fn register(&self, calls_back: CallsBack) -> Result<(RequestId, Arc<Inbox>), LinkError> {
        let mut state = self.state();
        if let Some(error) = &state.ended {
            return Err(error.clone());
        }
        state.last = state.last.checked_add(1).ok_or(LinkError::Exhausted)?;
        let id = RequestId(state.last);
        let inbox = Arc::new(Inbox::new(calls_back));
        state.open.insert(id, inbox.clone());
        Ok((id, inbox))
    }

    pub(super) fn find(&self, id: RequestId) -> Option<Arc<Inbox>> {
        self.state().open.get(&id).cloned()
    }

    /// Takes a request out: its answer has come.
    pub(super) fn close(&self, id: RequestId) -> Option<Arc<Inbox>> {
        self.state().open.remove(&id)
    }

    /// Whether this number was ever given out.
    pub(super) fn has_issued(&self, id: RequestId) -> bool {
        id != RequestId::LINK && id.0 <= self.state().last
    }

    /// Ends the link for everybody; the first reason counts.
    pub(super) fn end(&self, reason: LinkError) {
        let mut state = self.state();
        let reason = state.ended.get_or_insert(reason).clone();
        let open = std::mem::take(&mut state.open);
        drop(state);
        for inbox in open.into_values() {
            inbox.end(Err(reason.clone()));
        }
    }

    pub(super) fn ended(&self) -> Option<LinkError> {
        self.state().ended.clone()
    }
}
