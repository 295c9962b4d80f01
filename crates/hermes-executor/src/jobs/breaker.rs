//! How many watch notices all jobs together may send.
//!
//! A model that is told the same thing many times a second does nothing else. Fifteen in ten
//! seconds are the most; after that there are none for half a minute.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

const WINDOW: Duration = Duration::from_secs(10);
const MOST: usize = 15;
const PAUSE: Duration = Duration::from_secs(30);

/// Lets notices of all jobs through, or not.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    recent: VecDeque<Instant>,
    paused_until: Option<Instant>,
}

impl Breaker {
    /// Whether one more may be sent now. If so, it counts.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        if self.paused_until.is_some_and(|until| now < until) {
            return false;
        }
        self.paused_until = None;
        self.recent.retain(|sent| now.duration_since(*sent) < WINDOW);
        if self.recent.len() >= MOST {
            self.recent.clear();
            self.paused_until = Some(now + PAUSE);
            return false;
        }
        self.recent.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Breaker, MOST};
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn a_burst_is_followed_by_a_pause() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let mut breaker = Breaker::default();
        for index in 0..MOST {
            assert!(breaker.admits(at(index as f64 * 0.1)), "{index}");
        }
        assert!(!breaker.admits(at(2.0)));
        assert!(!breaker.admits(at(31.9)));
        assert!(breaker.admits(at(32.1)));
    }

    #[test]
    fn a_steady_rate_is_let_through() {
        let start = Instant::now();
        let mut breaker = Breaker::default();
        for index in 0..100 {
            assert!(breaker.admits(start + Duration::from_millis(700 * index)), "{index}");
        }
    }
}
