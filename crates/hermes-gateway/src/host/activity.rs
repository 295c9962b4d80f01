//! When a turn last did something.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The last sign of life of one turn.
#[derive(Debug)]
pub(crate) struct Activity(Mutex<State>);

#[derive(Debug)]
struct State {
    last: Instant,
    /// How many wait for somebody outside of the turn, which is no standstill.
    waiting: u32,
}

/// The turn waits for somebody until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting<'a>(&'a Activity);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.waiting = state.waiting.saturating_sub(1);
        state.last = Instant::now();
    }
}

impl Activity {
    pub(crate) fn begun() -> Self {
        Self(Mutex::new(State { last: Instant::now(), waiting: 0 }))
    }

    pub(crate) fn alive(&self) {
        self.state().last = Instant::now();
    }

    pub(crate) fn waiting(&self) -> Waiting<'_> {
        self.state().waiting += 1;
        Waiting(self)
    }

    pub(crate) fn quiet(&self) -> Duration {
        self.last().elapsed()
    }

    /// Waits until nothing has happened for this long. Never ends for no time at all: that means no limit.
    pub(crate) async fn quiet_for(&self, limit: Duration) {
        if limit.is_zero() {
            return std::future::pending().await;
        }
        loop {
            let until = self.last() + limit;
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }

    fn last(&self) -> Instant {
        let state = self.state();
        if state.waiting > 0 { Instant::now() } else { state.last }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
