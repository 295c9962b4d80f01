//! How long one attempt has waited, and for what.

use std::future::Future;

use tokio::time::{Duration, Instant, timeout_at};

use crate::{ModelError, Phase, Timeouts};

/// The limits of one attempt.
#[derive(Debug)]
pub(super) struct Clock {
    provider: String,
    timeouts: Timeouts,
    started: Instant,
    /// When the last sign of life came, and what is waited for since.
    since: Instant,
    phase: Phase,
}

impl Clock {
    pub(super) fn start(provider: String, timeouts: Timeouts) -> Self {
        let now = Instant::now();
        Self { provider, timeouts, started: now, since: now, phase: Phase::FirstByte }
    }

    /// A sign of life came.
    pub(super) fn heard(&mut self) {
        self.since = Instant::now();
        self.phase = Phase::Silence;
    }

    /// The outcome, if it comes before the limits do.
    pub(super) async fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, ModelError> {
        let limit = if self.phase == Phase::FirstByte { self.timeouts.first_byte } else { self.timeouts.silence };
        let own = (self.since + limit, self.phase, limit);
        let whole = (self.started + self.timeouts.whole, Phase::Whole, self.timeouts.whole);
        let (deadline, phase, limit) = if whole.0 < own.0 { whole } else { own };
        let timed_out = |_| ModelError::TimedOut { provider: self.provider.clone(), phase, limit };
        timeout_at(deadline, future).await.map_err(timed_out)
    }

    /// The outcome, if it comes soon: what follows a complete answer is worth no more.
    pub(super) async fn wait_shortly<T>(&self, most: Duration, future: impl Future<Output = T>) -> Option<T> {
        timeout_at(Instant::now() + most, future).await.ok()
    }
}
