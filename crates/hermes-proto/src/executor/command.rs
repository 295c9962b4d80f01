//! One command: what is asked, and what came of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Secret;

/// A command as a tool or a person gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandText {
    pub text: String,
    /// Runs there instead, and does not move the session.
    pub working_directory: Option<String>,
    pub timeout: Option<Duration>,
    pub limits: OutputLimits,
    /// Comes first on its input, as it is: a password that `sudo -S` reads.
    pub first_input: Option<Secret>,
}

impl CommandText {
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            working_directory: None,
            timeout: None,
            limits: OutputLimits::default(),
            first_input: None,
        }
    }
}

/// Runs shell text with the session's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCommand {
    /// Text for bash.
    pub command: String,
    /// The environment as computed for this turn; session variables included.
    pub environment: Vec<(String, String)>,
    /// Runs there instead, and does not move the session.
    pub working_directory: Option<String>,
    /// Ends the command after this many milliseconds.
    pub timeout_ms: Option<u64>,
    pub stdin: Stdin,
    /// Whether output is also sent as it comes, as `Data` frames under credit.
    pub streams_output: bool,
    pub limits: OutputLimits,
}

/// What a command reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stdin {
    /// End of file at once.
    Closed,
    /// `Data` frames of the request until `EndOfInput`.
    Streamed,
}

/// How much output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputLimits {
    /// Characters in the result: 40 % from the beginning, 60 % from the end.
    pub returned_characters: usize,
    /// Bytes of the full stream that are kept in a file when the result is cut.
    pub spilled_bytes: u64,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { returned_characters: 50_000, spilled_bytes: 5_000_000 }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandEnd {
    Exited,
    Signalled { signal: i32 },
    TimedOut,
    Interrupted,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandResult {
    /// stdout and stderr in the order in which they came, within the limits.
    pub output: String,
    /// Characters the command printed altogether.
    pub total_characters: u64,
    /// Characters left out of `output`.
    pub omitted_characters: u64,
    /// Where the full stream is, when `output` was cut.
    pub spill_path: Option<String>,
    /// As a shell reports it: 128 + signal, 124 after a timeout, 130 after an interrupt.
    pub exit_code: i32,
    pub end: CommandEnd,
    /// Where the session is now.
    pub working_directory: String,
    /// What the person should know besides, such as a directory that has vanished.
    pub notes: Vec<String>,
    pub duration_ms: u64,
}
