//! How an expected error tells a person what to do, and a script what happened.
//!
//! Without one shared shape every command invents its own exit codes and drops
//! the advice on the way up. A library error implements [`Explain`]; the binary
//! turns it into one line, an optional `hint:` line and a fixed exit code.

use std::error::Error;

/// Whose turn it is after an error; the binary maps each to an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It was tried and did not work.
    Failed,
    /// What was asked for makes no sense as written.
    Usage,
    /// Something else is in the way right now; the same call may work later.
    TryAgain,
    /// A file the operator owns has to be changed first.
    Configuration,
}

/// An error that a person can act on.
pub trait Explain: Error {
    /// Whose turn it is.
    fn fault(&self) -> Fault {
        Fault::Failed
    }

    /// What to do about it: one sentence or one command, lowercase, no full stop.
    fn hint(&self) -> Option<String> {
        None
    }
}
