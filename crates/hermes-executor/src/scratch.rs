//! One buffer for all reading: small until somebody is talkative, and small again when nothing runs.
//!
//! Reading much in small pieces is slow, and a large buffer per command is memory that an idle
//! session should not have; making one costs more than a short command prints. All reading is
//! done on one thread, one read at a time.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Enough for most commands.
const SMALL: usize = 8 * 1024;
/// Read at once when there is much. A pipe holds 64 KiB at first.
const LARGE: usize = 256 * 1024;

/// The shared buffer.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    buffer: RefCell<Vec<u8>>,
    users: Cell<usize>,
}

/// Keeps the buffer alive.
#[derive(Debug)]
pub(crate) struct ScratchUse(Rc<Scratch>);

impl Scratch {
    pub(crate) fn enter(self: &Rc<Self>) -> ScratchUse {
        self.users.set(self.users.get() + 1);
        ScratchUse(Rc::clone(self))
    }
}

impl ScratchUse {
    /// Lends the buffer for one read.
    pub(crate) fn with<T>(&self, action: impl FnOnce(&mut [u8]) -> T) -> T {
        let mut buffer = self.0.buffer.borrow_mut();
        if buffer.is_empty() {
            *buffer = vec![0; SMALL];
        }
        action(&mut buffer)
    }

    /// After a read of this length: if it filled the buffer, there is more to come.
    pub(crate) fn grow_after(&self, length: usize) {
        if length >= SMALL && self.0.buffer.borrow().len() < LARGE {
            self.0.buffer.replace(vec![0; LARGE]);
        }
    }
}

impl Drop for ScratchUse {
    fn drop(&mut self) {
        let users = self.0.users.get() - 1;
        self.0.users.set(users);
        if users == 0 && self.0.buffer.borrow().len() > SMALL {
            self.0.buffer.take();
        }
    }
}
