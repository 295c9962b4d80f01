//! What happens after a service ended: again, or not.

use std::fmt;
use std::io;
use std::path::Path;

use super::Ledger;

/// An end that is meant: done.
const DONE: i32 = 0;
/// Configuration has to be mended first; starting again changes nothing.
const CONFIGURATION: i32 = 78;
/// Asked to be started again, which is no crash.
const AGAIN: i32 = 75;
/// What s6 passes for a service that a signal ended.
const SIGNALLED: i32 = 256;

/// How a service ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    Signal(i32),
}

/// What the supervisor does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    StartAgain,
    /// Only an explicit start brings it back.
    StayDown,
}

impl Ended {
    /// From the two numbers that s6 passes.
    pub fn from_numbers(code: i32, signal: i32) -> Self {
        if code == SIGNALLED { Self::Signal(signal) } else { Self::Code(code) }
    }
}

impl NextStep {
    /// How it is said to s6.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::StartAgain => 0,
            Self::StayDown => 125,
        }
    }
}

/// Notes the end of the service in `slot` and decides.
pub fn ended(slot: &Path, how: Ended, now: i64) -> io::Result<NextStep> {
    let ledger = Ledger::of(slot);
    match how {
        Ended::Code(DONE | CONFIGURATION) => ledger.clear().map(|()| NextStep::StayDown),
        Ended::Code(AGAIN) => Ok(NextStep::StartAgain),
        Ended::Code(_) | Ended::Signal(_) => ledger.note(how, now).map(|()| NextStep::StartAgain),
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "exit code {code}"),
            Self::Signal(signal) => write!(formatter, "signal {signal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ended, NextStep, ended};

    #[test]
    fn only_a_crash_is_followed_by_a_start() {
        let slot = tempfile::tempdir().unwrap();
        let check = |code, signal, expected| {
            let how = Ended::from_numbers(code, signal);
            assert_eq!(ended(slot.path(), how, 1).unwrap(), expected, "{how}");
        };
        check(0, 0, NextStep::StayDown);
        check(78, 0, NextStep::StayDown);
        check(1, 0, NextStep::StartAgain);
        check(75, 0, NextStep::StartAgain);
        check(256, 9, NextStep::StartAgain);
        check(256, 15, NextStep::StartAgain);
        assert_eq!((NextStep::StayDown.exit_code(), NextStep::StartAgain.exit_code()), (125, 0));
    }
}
