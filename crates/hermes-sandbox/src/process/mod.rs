//! The one gate for creating a process.
//!
//! A process started elsewhere would inherit the whole environment (with its
//! secrets), stray descriptors and no time limit. Programs that a person looks at
//! (an editor) are started from [`command`]; programs that are asked a question
//! (`docker version`) are run to their end by [`Helper`].

mod capture;
mod children;
mod error;
mod find;
mod helper;
mod watch;

use std::ffi::OsStr;
use std::process::Command;

pub use capture::Captured;
pub use error::{Ending, HelperError};
pub use find::find_program;
pub use helper::{Helper, HelperOutcome};

/// A command with nothing inherited but what is put on it.
#[expect(clippy::disallowed_methods, reason = "this is the gate")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    children::keep_the_ended();
    let mut command = Command::new(program);
    command.env_clear();
    command
}
