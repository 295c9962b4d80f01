//! What can be asked over a link, and the shapes an answer has.

use serde::{Deserialize, Serialize};

use super::{CommandResult, FileAnswer, FileRequest, JobRequest, JobSnapshot, RunCommand, RunScript, ScriptResult};

/// The payload of a `Request` frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    Run(RunCommand),
    Job(JobRequest),
    File(FileRequest),
    Script(RunScript),
}

/// The payload of a `Result` frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Command(CommandResult),
    /// One job, as it is after what was asked.
    Job(JobSnapshot),
    /// All tracked jobs, oldest first.
    Jobs(Vec<JobSnapshot>),
    File(FileAnswer),
    Script(ScriptResult),
    /// Nothing was done, or not to its end.
    Failed(RequestFailure),
}

/// Why a request has no proper answer. The link goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum RequestFailure {
    #[error("request is not understood: {detail}")]
    Invalid { detail: String },
    #[error("no such request is open")]
    Unknown,
    #[error("too much is under way: {detail}")]
    Busy { detail: String },
    #[error("command contains a NUL character")]
    NulInCommand,
    #[error("shell cannot be started: {detail}")]
    CannotStart { detail: String },
    #[error("script cannot be started: {detail}")]
    NoScript { detail: String },
    #[error("no job {id}")]
    NoSuchJob { id: String },
    #[error("job {id} {detail}")]
    JobRefused { id: String, detail: String },
    /// By policy, before anything was started.
    #[error("{message}")]
    Refused { message: String },
    #[error("given up at the runtime's wish")]
    Cancelled,
    #[error("executor failed: {detail}")]
    Internal { detail: String },
}

/// Why the executor ends the link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkEnd {
    pub reason: String,
}
