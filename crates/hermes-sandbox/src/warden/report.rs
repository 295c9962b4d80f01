//! What a warden tells the executor: fixed records over a pipe.
//!
//! Records are smaller than what a pipe takes at once, and there are at most three, so
//! writing one neither blocks nor tears.

use std::os::fd::BorrowedFd;

/// Bytes of one record.
pub const REPORT_LENGTH: usize = 12;

/// The step at which a shell could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartStep {
    Fork,
    Descriptors,
    Directory,
    Terminal,
    Execute,
}

/// News of one shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// It has this process number. Only if the launch asked for it.
    Started { process: i32 },
    /// It never ran, because this step failed with this error number.
    Failed { step: StartStep, error: i32 },
    /// It gave this exit code.
    Exited { code: i32 },
    /// This signal ended it.
    Signalled { signal: i32 },
}

impl Report {
    /// Reads a record; `None` if a warden cannot have written it.
    pub fn decode(record: [u8; REPORT_LENGTH]) -> Option<Self> {
        let [k0, k1, k2, k3, a0, a1, a2, a3, b0, b1, b2, b3] = record;
        let value = i32::from_le_bytes([a0, a1, a2, a3]);
        Some(match u32::from_le_bytes([k0, k1, k2, k3]) {
            1 => Self::Started { process: value },
            2 => Self::Failed { step: step_of(value)?, error: i32::from_le_bytes([b0, b1, b2, b3]) },
            3 => Self::Exited { code: value },
            4 => Self::Signalled { signal: value },
            _ => return None,
        })
    }

    fn encode(self) -> [u8; REPORT_LENGTH] {
        let (kind, first, second) = match self {
            Self::Started { process } => (1_u32, process, 0),
            Self::Failed { step, error } => (2, step as i32, error),
            Self::Exited { code } => (3, code, 0),
            Self::Signalled { signal } => (4, signal, 0),
        };
        let [k0, k1, k2, k3] = kind.to_le_bytes();
        let [a0, a1, a2, a3] = first.to_le_bytes();
        let [b0, b1, b2, b3] = second.to_le_bytes();
        [k0, k1, k2, k3, a0, a1, a2, a3, b0, b1, b2, b3]
    }

    /// Sends the record. If nobody listens any more, nobody needs it.
    pub(super) fn send(self, pipe: BorrowedFd<'_>) {
        let _ = rustix::io::retry_on_intr(|| rustix::io::write(pipe, &self.encode()));
    }
}

fn step_of(value: i32) -> Option<StartStep> {
    use StartStep::{Descriptors, Directory, Execute, Fork, Terminal};
    [Fork, Descriptors, Directory, Terminal, Execute].into_iter().find(|step| *step as i32 == value)
}

#[cfg(test)]
mod tests {
    use super::{REPORT_LENGTH, Report, StartStep};

    #[test]
    fn records_come_back() {
        for report in [
            Report::Started { process: 4711 },
            Report::Failed { step: StartStep::Execute, error: 2 },
            Report::Exited { code: 255 },
            Report::Signalled { signal: 9 },
        ] {
            assert_eq!(Report::decode(report.encode()), Some(report));
        }
        assert_eq!(Report::decode([9; REPORT_LENGTH]), None);
    }
}
