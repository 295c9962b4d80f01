//! Ctrl-C: once for the turn, twice for the program.

use std::time::Duration;

use tokio::time::Instant;

/// Within this, a second press means to leave.
const SOON: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    last: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Press {
    First,
    Second,
}

impl Interrupts {
    pub(crate) fn press(&mut self, now: Instant) -> Press {
        match self.last.replace(now) {
            Some(last) if now.saturating_duration_since(last) <= SOON => Press::Second,
            _ => Press::First,
        }
    }

    /// Something else was typed.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_presses_count_only_if_they_are_close() {
        let mut interrupts = Interrupts::default();
        let now = Instant::now();
        assert_eq!(interrupts.press(now), Press::First);
        assert_eq!(interrupts.press(now + Duration::from_secs(3)), Press::First);
        assert_eq!(interrupts.press(now + Duration::from_secs(4)), Press::Second);
        interrupts.forget();
        assert_eq!(interrupts.press(now + Duration::from_secs(4)), Press::First);
    }
}
