//! One script: what is asked, the tool calls it makes while it runs, and what came of it.
//!
//! A script is not trusted. What it may call and how often is in the request, and both sides hold
//! it to that: the executor refuses what is not offered, the runtime does not believe the executor.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Calls of one script that may wait for their results at once. More is a broken peer.
pub const MOST_CALLS_AT_ONCE: usize = 32;

/// Runs a Python script beside the commands of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunScript {
    pub code: String,
    /// The environment of a command of this turn; what the script sees of it is decided beside it, where
    /// the session's own exports are.
    pub environment: Vec<(String, String)>,
    /// Names that the script sees although they would be left out. A credential of Hermes never is.
    pub passthrough: Vec<String>,
    /// The zone of the script's clock; `None` leaves that of the commands.
    pub time_zone: Option<String>,
    pub mode: ScriptMode,
    /// What it may call. None means none.
    pub tools: Vec<ScriptTool>,
    pub limits: ScriptLimits,
}

/// Where a script runs, and by which Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptMode {
    /// In the session's directory, by the Python of its virtual environment if it has one.
    Project,
    /// In a folder of its own, by the Python that the environment came with.
    Strict,
}

/// What a script may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptLimits {
    pub timeout_ms: u64,
    pub tool_calls: u32,
    /// Bytes of standard output in the result: 40 % from the beginning, 60 % from the end.
    pub output_bytes: usize,
    /// Bytes of standard error in the result, from the beginning.
    pub error_bytes: usize,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self { timeout_ms: 300_000, tool_calls: 50, output_bytes: 50_000, error_bytes: 10_000 }
    }
}

/// A tool that a script can be offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptTool {
    WebSearch,
    WebExtract,
    ReadFile,
    WriteFile,
    SearchFiles,
    Patch,
    Terminal,
}

impl ScriptTool {
    pub const ALL: [Self; 7] = [
        Self::WebSearch,
        Self::WebExtract,
        Self::ReadFile,
        Self::WriteFile,
        Self::SearchFiles,
        Self::Patch,
        Self::Terminal,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::WebSearch => "web_search",
            Self::WebExtract => "web_extract",
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::SearchFiles => "search_files",
            Self::Patch => "patch",
            Self::Terminal => "terminal",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

/// Numbers the calls of one script, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(pub u64);

/// The payload of a `ToolCall` frame: the script waits for its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    pub call: CallId,
    pub tool: ScriptTool,
    pub arguments: Map<String, Value>,
}

/// The payload of a `ToolResult` frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call: CallId,
    /// As the tool gave it: JSON, mostly.
    pub result: String,
}

/// How a script ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptStatus {
    Success,
    /// It ended by itself, with another status than 0 or by a signal.
    Error,
    Timeout,
    Interrupted,
}

/// What came of a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptResult {
    pub status: ScriptStatus,
    /// Standard output, within its limit.
    pub output: String,
    /// Standard error, within its limit.
    pub errors: String,
    /// As a shell reports it: 128 + signal, 124 after a timeout, 130 after an interrupt.
    pub exit_code: i32,
    /// Calls that were passed on; refused ones do not count.
    pub tool_calls_made: u32,
    pub duration_ms: u64,
    /// Bytes that the script wrote altogether, and how many of them are not in this result.
    pub output_bytes: u64,
    pub omitted_output_bytes: u64,
    pub error_bytes: u64,
    pub omitted_error_bytes: u64,
    /// What the person should know besides.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::ScriptTool;

    #[test]
    fn a_tool_has_one_name_everywhere() {
        for tool in ScriptTool::ALL {
            assert_eq!(ScriptTool::from_name(tool.name()), Some(tool));
            assert_eq!(serde_json::to_value(tool).unwrap(), tool.name());
        }
        assert_eq!(ScriptTool::from_name("execute_code"), None);
    }
}
