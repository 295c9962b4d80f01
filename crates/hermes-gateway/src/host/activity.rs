//! When a turn last did something.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The last sign of life of one turn.
#[derive(Debug)]
pub(crate) struct Activity(Mutex<Instant>);

impl Activity {
    pub(crate) fn begun() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    pub(crate) fn alive(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
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
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
