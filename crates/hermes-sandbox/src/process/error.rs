//! Why a helper program gave no answer.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use hermes_proto::{Explain, Fault};

use super::HelperOutcome;

/// How a program that failed came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It gave this exit code, which is not zero.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// Why a helper program gave no answer. No variant leaves a process of it running,
/// except [`HelperError::Stuck`].
#[derive(Debug, thiserror::Error)]
pub enum HelperError {
    #[error("{}: program not found", .program.display())]
    NotFound { program: OsString },
    #[error("{}: cannot be executed: {source}", .program.display())]
    NotExecutable { program: OsString, source: io::Error },
    #[error("{}: cannot be started: {source}", .program.display())]
    Start { program: OsString, source: io::Error },
    #[error("{}: cannot be watched, the kernel gives no pidfd: {source}", .program.display())]
    Pidfd { program: OsString, source: io::Error },
    #[error("{}: lost track of it: {source}", .program.display())]
    Watch { program: OsString, source: io::Error },
    #[error("{}: no answer within {limit:?}, stopped", .program.display())]
    TimedOut { program: OsString, limit: Duration },
    #[error("{}: no answer within {limit:?}, and process {process} cannot be killed", .program.display())]
    Stuck { program: OsString, limit: Duration, process: i32 },
    #[error("{}: {ending}{}", .program.display(), reason(.outcome))]
    Failed { program: OsString, ending: Ending, outcome: Box<HelperOutcome> },
}

impl HelperError {
    /// The program as it was named.
    pub fn program(&self) -> &OsStr {
        match self {
            Self::NotFound { program }
            | Self::NotExecutable { program, .. }
            | Self::Start { program, .. }
            | Self::Pidfd { program, .. }
            | Self::Watch { program, .. }
            | Self::TimedOut { program, .. }
            | Self::Stuck { program, .. }
            | Self::Failed { program, .. } => program,
        }
    }
}

impl Explain for HelperError {
    fn fault(&self) -> Fault {
        match self {
            Self::TimedOut { .. } | Self::Stuck { .. } | Self::Start { .. } => Fault::TryAgain,
            Self::NotFound { .. }
            | Self::NotExecutable { .. }
            | Self::Pidfd { .. }
            | Self::Watch { .. }
            | Self::Failed { .. } => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        let program = self.program().display();
        match self {
            Self::NotFound { .. } => Some(format!("install {program}, or add its folder to PATH")),
            Self::NotExecutable { .. } => Some(format!("check the mode and the first line of {program}")),
            Self::Pidfd { .. } => {
                Some("use Linux 5.3 or newer, and a seccomp filter that allows pidfd_open".to_owned())
            }
            Self::Start { .. } => Some("end some processes or raise the limits on them, then try again".to_owned()),
            Self::Watch { .. } | Self::TimedOut { .. } | Self::Stuck { .. } | Self::Failed { .. } => None,
        }
    }
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        match status.signal() {
            Some(signal) => Self::Signal(signal),
            None => Self::Code(status.code().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "ended with exit code {code}"),
            Self::Signal(signal) => write!(formatter, "ended by signal {signal}"),
        }
    }
}

/// What the program said about its failure, to be put after how it ended.
fn reason(outcome: &HelperOutcome) -> String {
    outcome.standard_error.first_line().map_or_else(String::new, |line| format!(": {line}"))
}
