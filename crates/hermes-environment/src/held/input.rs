//! What a caller has sent for a command's standard input and the executor has not taken yet.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_proto::executor::INITIAL_WINDOW;
use tokio::sync::Notify;

/// Filled by the reader of the connection, emptied by the one task that follows the request. At
/// most one window is in it, because no more is ever granted.
#[derive(Debug)]
pub(super) struct InputQueue {
    state: Mutex<State>,
    arrived: Notify,
}

#[derive(Debug)]
struct State {
    bytes: Vec<u8>,
    /// Bytes the caller may still send.
    granted: usize,
    is_ended: bool,
}

/// The caller sent more than it was allowed to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overrun;

impl InputQueue {
    pub(super) fn new() -> Self {
        let state = State { bytes: Vec::new(), granted: INITIAL_WINDOW as usize, is_ended: false };
        Self { state: Mutex::new(state), arrived: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, bytes: &[u8]) -> Result<(), Overrun> {
        let mut state = self.state();
        state.granted = state.granted.checked_sub(bytes.len()).ok_or(Overrun)?;
        state.bytes.extend_from_slice(bytes);
        drop(state);
        self.arrived.notify_one();
        Ok(())
    }

    /// No more will come.
    pub(super) fn end(&self) {
        self.state().is_ended = true;
        self.arrived.notify_one();
    }

    /// What has come in; `None` at the end.
    pub(super) async fn next(&self) -> Option<Vec<u8>> {
        loop {
            {
                let mut state = self.state();
                if !state.bytes.is_empty() {
                    return Some(std::mem::take(&mut state.bytes));
                }
                if state.is_ended {
                    return None;
                }
            }
            self.arrived.notified().await;
        }
    }

    /// Notes that the caller is allowed to send this much more.
    pub(super) fn reopen(&self, bytes: usize) {
        self.state().granted += bytes;
    }
}
