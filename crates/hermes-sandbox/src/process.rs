//! The one gate for creating a process.
//!
//! Programs that Hermes itself needs on the host (`docker version`, an editor) are
//! started here, with an explicit environment, a time limit and bounded output.

use std::ffi::OsStr;
use std::process::Command;

/// A command with nothing inherited but what is put on it.
#[expect(clippy::disallowed_methods, reason = "this is the gate")]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}
