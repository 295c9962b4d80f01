//! The state that one session's commands share: where it is, what was exported, functions, aliases.
//!
//! It lives in this process's memory and nowhere else. Several commands may run at once; each
//! contributes what it changed itself, so that one that ends late does not undo the others.

mod declarations;
mod directory;
mod dump;
mod environment;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub(crate) use directory::{Entered, enter_explicit, enter_session};
pub(crate) use dump::{Dump, Left, create as create_memory, read as read_dump};
pub(crate) use environment::{Delta, Variables};

/// The variable in which our script keeps a command's exit status.
pub(crate) const STATUS_VARIABLE: &str = "__hermes_status";
/// Ends a dump. The zero before it separates it from the last part.
pub(crate) const DUMP_END: &[u8] = b"hermes";
/// Ends, after a zero, a dump of a status alone: the state is what it was.
pub(crate) const UNCHANGED: &[u8] = b"same";

/// State of a session's shell between commands.
#[derive(Debug, Clone)]
pub(crate) struct ShellState {
    directory: PathBuf,
    delta: Delta,
    definitions: Vec<u8>,
}

/// Whether a command's directory becomes the session's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moves {
    Session,
    Nothing,
}

/// What a command started with, to tell later what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) environment: Variables,
    pub(crate) definitions: Vec<u8>,
}

impl ShellState {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory, delta: Delta::default(), definitions: Vec::new() }
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The state a command starts with, given the environment of its turn.
    pub(crate) fn before(&self, mut environment: Variables) -> Before {
        self.delta.apply(&mut environment);
        Before { environment, definitions: self.definitions.clone() }
    }

    /// Takes over what a command changed. Returns what the person should know.
    pub(crate) fn learn(&mut self, before: &Before, left: Left, moves: Moves) -> Vec<String> {
        if moves == Moves::Session && left.directory.starts_with(b"/") {
            self.directory = PathBuf::from(OsStr::from_bytes(&left.directory));
        }
        if left.definitions != before.definitions && is_harmless(&left.definitions) {
            self.definitions = left.definitions;
        }
        let refused = self.delta.learn(&before.environment, left.exported);
        refused
            .iter()
            .map(|name| format!("variable {} is too long to be kept", String::from_utf8_lossy(name)))
            .collect()
    }
}

/// Our script calls `builtin`; a function of that name would take every later command with it.
fn is_harmless(definitions: &[u8]) -> bool {
    !definitions.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"builtin ()"))
}
