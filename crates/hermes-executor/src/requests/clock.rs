//! The time that a request has, which can stand still.
//!
//! A script waits while a person is asked about one of its calls. Were that its own time, a question that is answered
//! late would kill the script that it was answered for.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// Runs, or stands still.
#[derive(Debug)]
pub(crate) struct Clock(watch::Sender<Hands>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hands {
    Running,
    Held,
}

impl Default for Clock {
    fn default() -> Self {
        Self(watch::Sender::new(Hands::Running))
    }
}

impl Clock {
    pub(crate) fn hold(&self) {
        self.0.send_replace(Hands::Held);
    }

    pub(crate) fn resume(&self) {
        self.0.send_replace(Hands::Running);
    }

    /// Waits until it has run for this long.
    pub(crate) async fn has_run(&self, mut left: Duration) {
        let mut hands = self.0.subscribe();
        loop {
            // Its sender is this clock: it cannot be gone.
            let _ = hands.wait_for(|hands| *hands == Hands::Running).await;
            let since = Instant::now();
            tokio::select! {
                () = sleep(left) => return,
                _ = hands.wait_for(|hands| *hands == Hands::Held) => left = left.saturating_sub(since.elapsed()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, advance, pause};

    use super::Clock;

    #[tokio::test]
    async fn time_that_is_held_does_not_count() {
        pause();
        let clock = Clock::default();
        let begun = Instant::now();
        let held = async {
            advance(Duration::from_secs(4)).await;
            clock.hold();
            tokio::task::yield_now().await;
            advance(Duration::from_secs(1000)).await;
            clock.resume();
            tokio::task::yield_now().await;
        };
        tokio::join!(clock.has_run(Duration::from_secs(10)), held);
        assert_eq!(begun.elapsed().as_secs(), 1010);
    }
}
