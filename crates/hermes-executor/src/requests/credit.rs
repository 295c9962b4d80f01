//! How much output of a request the runtime is ready to take.

use std::cell::Cell;

use hermes_proto::executor::INITIAL_WINDOW;
use tokio::sync::Notify;

/// Bytes of `Data` that may still be sent.
#[derive(Debug)]
pub(crate) struct Credit {
    left: Cell<u64>,
    granted: Notify,
}

impl Credit {
    pub(crate) fn new() -> Self {
        Self { left: Cell::new(u64::from(INITIAL_WINDOW)), granted: Notify::new() }
    }

    pub(crate) fn grant(&self, bytes: u32) {
        self.left.set(self.left.get().saturating_add(u64::from(bytes)));
        self.granted.notify_waiters();
    }

    /// Waits until something may be sent; how much.
    pub(crate) async fn available(&self) -> u64 {
        while self.left.get() == 0 {
            self.granted.notified().await;
        }
        self.left.get()
    }

    /// Counts what was sent.
    pub(crate) fn spend(&self, bytes: u64) {
        self.left.set(self.left.get().saturating_sub(bytes));
    }
}
