//! How many bytes of output a caller still takes for one request.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_proto::executor::INITIAL_WINDOW;
use tokio::sync::Notify;

/// Granted by the reader of the connection, spent by the one task that follows the request.
#[derive(Debug)]
pub(super) struct Credit {
    left: Mutex<usize>,
    granted: Notify,
}

impl Credit {
    pub(super) fn new() -> Self {
        Self { left: Mutex::new(INITIAL_WINDOW as usize), granted: Notify::new() }
    }

    fn left(&self) -> MutexGuard<'_, usize> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn grant(&self, bytes: u32) {
        let mut left = self.left();
        *left = left.saturating_add(bytes as usize);
        drop(left);
        self.granted.notify_one();
    }

    /// Waits until something may be sent, and takes the credit for at most `wanted` bytes.
    pub(super) async fn take(&self, wanted: usize) -> usize {
        loop {
            {
                let mut left = self.left();
                let now = wanted.min(*left);
                if now > 0 || wanted == 0 {
                    *left -= now;
                    return now;
                }
            }
            self.granted.notified().await;
        }
    }
}
