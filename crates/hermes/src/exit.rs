//! How the program ends: fixed exit codes, one line of error, one line of hint.
//!
//! Scripts and supervisors branch on these codes, so they are part of the
//! interface: 0 ok, 1 failed, 2 usage, 75 try again, 78 configuration.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use hermes_proto::{Explain, Fault};

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const TRY_AGAIN: u8 = 75;
const CONFIGURATION: u8 = 78;

/// The end of a command that did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An expected error: told to the person, and to scripts by its code.
    Told { fault: Fault, message: String, hint: Option<String> },
    /// The result itself was the bad news and has already been printed.
    Silent(Fault),
    /// A command that was run ended with this code, and so does this program.
    Code(u8),
    /// Whoever read our output has gone: nothing left to say, and nobody to say it to.
    ReaderGone,
}

impl Failure {
    pub(crate) fn new(fault: Fault, message: impl fmt::Display) -> Self {
        Self::Told { fault, message: message.to_string(), hint: None }
    }

    pub(crate) fn hint(self, text: impl fmt::Display) -> Self {
        match self {
            Self::Told { fault, message, .. } => Self::Told { fault, message, hint: Some(text.to_string()) },
            other => other,
        }
    }

    /// An error of standard output.
    pub(crate) fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ReaderGone;
        }
        Self::new(Fault::Failed, format_args!("cannot write to standard output: {error}"))
    }
}

impl<E: Explain> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = error.source();
        }
        Self::Told { fault: error.fault(), message, hint: error.hint() }
    }
}

/// The exit code of a finished command; its error, if any, goes to standard error.
pub(crate) fn of(outcome: Result<(), Failure>) -> ExitCode {
    match outcome {
        Ok(()) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(Failure::Silent(fault)) => code(fault),
        Err(Failure::Code(code)) => ExitCode::from(code),
        Err(Failure::Told { fault, message, hint }) => {
            tracing::error!("{message}");
            let mut lines = format!("hermes: {message}\n");
            if let Some(hint) = hint {
                lines.push_str(&format!("hint: {hint}\n"));
            }
            // Nobody can be told that standard error is gone.
            let _ = io::stderr().write_all(lines.as_bytes());
            code(fault)
        }
    }
}

/// Help and version are answers, everything else clap says is about usage.
pub(crate) fn of_clap(answer: &clap::Error) -> ExitCode {
    // A closed pipe here means that the reader has seen enough of the help.
    let _ = answer.print();
    if answer.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

fn code(fault: Fault) -> ExitCode {
    ExitCode::from(match fault {
        Fault::Failed => FAILED,
        Fault::Usage => USAGE,
        Fault::TryAgain => TRY_AGAIN,
        Fault::Configuration => CONFIGURATION,
    })
}
