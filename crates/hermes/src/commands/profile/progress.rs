//! A line that tells how far a long piece of work is, on a terminal only.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::size::human;

/// Work shorter than this says nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(200);
/// Back to the start of the line, and the line cleared.
const CLEAR: &str = "\r\x1b[K";

/// Progress of one piece of work; its line is gone when this is dropped.
pub(super) struct Progress {
    doing: &'static str,
    total: Total,
    next: Instant,
    line: Line,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Total {
    Known(u64),
    Unknown,
}

enum Line {
    NoTerminal,
    Empty,
    Shown,
}

impl Progress {
    pub(super) fn start(doing: &'static str, total: Total) -> Self {
        let line = if io::stderr().is_terminal() { Line::Empty } else { Line::NoTerminal };
        Self { doing, total, next: Instant::now() + PATIENCE, line }
    }

    pub(super) fn reached(&mut self, bytes: u64) {
        if matches!(self.line, Line::NoTerminal) || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PAUSE;
        self.line = Line::Shown;
        let of = match self.total {
            Total::Known(total) => format!(" of {}", human(total)),
            Total::Unknown => String::new(),
        };
        // Nobody can be told that standard error is gone.
        let _ = write!(io::stderr(), "{CLEAR}{}: {}{of}", self.doing, human(bytes));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if matches!(self.line, Line::Shown) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}
