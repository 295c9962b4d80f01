//! Input that came for a request and was not read yet.
//!
//! The link is never held up by a command that does not read: what it may send is what fits
//! here, and it may send more when the command has read some.

use std::cell::{Cell, RefCell};
use std::mem;

use hermes_proto::executor::INITIAL_WINDOW;
use tokio::sync::Notify;

/// What the command will read next.
#[derive(Debug)]
pub(crate) struct Input {
    waiting: RefCell<Vec<u8>>,
    /// Bytes the runtime may still send.
    window: Cell<usize>,
    ended: Cell<bool>,
    changed: Notify,
}

/// The runtime sent more than it was allowed to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Overrun;

impl Input {
    pub(crate) fn new() -> Self {
        Self {
            waiting: RefCell::default(),
            window: Cell::new(INITIAL_WINDOW as usize),
            ended: Cell::new(false),
            changed: Notify::new(),
        }
    }

    pub(crate) fn push(&self, bytes: &[u8]) -> Result<(), Overrun> {
        let window = self.window.get().checked_sub(bytes.len()).ok_or(Overrun)?;
        self.window.set(window);
        if !self.ended.get() {
            self.waiting.borrow_mut().extend_from_slice(bytes);
            self.changed.notify_waiters();
        }
        Ok(())
    }

    /// Nothing more comes.
    pub(crate) fn end(&self) {
        self.ended.set(true);
        self.changed.notify_waiters();
    }

    /// All that waits, as soon as something does; `None` when nothing more will.
    pub(crate) async fn next(&self) -> Option<Vec<u8>> {
        loop {
            let waiting = mem::take(&mut *self.waiting.borrow_mut());
            if !waiting.is_empty() {
                return Some(waiting);
            }
            if self.ended.get() {
                return None;
            }
            self.changed.notified().await;
        }
    }

    /// The runtime may send as much again as the command has read.
    pub(crate) fn reopen(&self, bytes: usize) {
        self.window.set(self.window.get() + bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::{Input, Overrun};
    use hermes_proto::executor::INITIAL_WINDOW;

    #[tokio::test]
    async fn it_holds_no_more_than_was_allowed() {
        let input = Input::new();
        let window = INITIAL_WINDOW as usize;
        assert_eq!(input.push(&vec![1; window]), Ok(()));
        assert_eq!(input.push(&[1]), Err(Overrun));
        assert_eq!(input.next().await.unwrap().len(), window);
        assert_eq!(input.push(&[1]), Err(Overrun));
        input.reopen(10);
        assert_eq!(input.push(&[1; 10]), Ok(()));
        input.end();
        assert_eq!(input.next().await.unwrap().len(), 10);
        assert_eq!(input.next().await, None);
    }
}
