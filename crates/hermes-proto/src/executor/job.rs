//! Background jobs: started in a turn, alive beyond it, asked about later.

use std::fmt;

use serde::{Deserialize, Serialize};

/// `proc_` and twelve hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobId(String);

impl JobId {
    pub fn from_random(bytes: [u8; 6]) -> Self {
        use fmt::Write;
        let mut text = String::from("proc_");
        for byte in bytes {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<String> for JobId {
    /// Any text may be asked about; only one that the executor gave out will be known.
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Starts a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartJob {
    pub command: String,
    pub environment: Vec<(String, String)>,
    pub working_directory: Option<String>,
    /// Rows and columns of a pseudo-terminal, if it gets one.
    pub terminal: Option<(u16, u16)>,
    pub notify_on_complete: bool,
    /// A notice is sent when a line contains one of these.
    pub watch_patterns: Vec<String>,
    /// Lives on when the environment ends.
    pub persists: bool,
}

/// Asks about the jobs of this executor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobRequest {
    Start(StartJob),
    List,
    One { id: JobId, action: JobAction },
}

/// What is done with one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobAction {
    /// State and the newest output.
    Poll,
    /// Lines of the buffer; `offset` counts from its start, `None` means the last ones.
    Log {
        offset: Option<usize>,
        lines: usize,
    },
    /// Until it ends or this many milliseconds have passed.
    Wait {
        timeout_ms: u64,
    },
    Kill,
    /// Bytes to its input, as they are.
    Write {
        data: String,
    },
    /// A line to its input.
    Submit {
        line: String,
    },
    /// End of its input.
    Close,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    Running,
    Exited,
    Killed,
    FailedStart,
}

/// A job as seen at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSnapshot {
    pub id: JobId,
    pub command: String,
    pub state: JobState,
    pub exit_code: Option<i32>,
    pub pid: Option<u32>,
    pub runtime_ms: u64,
    /// The part of the output that was asked for.
    pub output: String,
    /// Characters it printed altogether.
    pub total_characters: u64,
    /// Characters that have left the rolling buffer.
    pub dropped_characters: u64,
    /// What the person should know besides.
    pub notes: Vec<String>,
}

/// Why a notice is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeCause {
    Completed,
    Matched {
        pattern: String,
        line: String,
    },
    /// Its patterns matched too often; from now on only its end is told.
    WatchDisabled,
}

/// Something happened to a job that nobody is waiting for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobNotice {
    pub cause: NoticeCause,
    pub job: JobSnapshot,
}
