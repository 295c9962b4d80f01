//! How a link fails. Every variant can be told to each request that was on it.

use std::io;

use hermes_proto::executor::{FrameError, FrameKind, PreambleError, RequestFailure, RequestId};
use hermes_proto::{Explain, Fault};

/// Why there is no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LinkError {
    #[error(transparent)]
    Foreign(#[from] PreambleError),
    #[error("executor said nothing: {0}")]
    Silent(String),
    #[error("executor refused to start: {reason}")]
    Refused { reason: String, hint: Option<String> },
    #[error("executor sent what is not a frame: {0}")]
    Garbage(#[from] FrameError),
    #[error("executor sent a message that is not understood: {detail}")]
    Decode { detail: String },
    #[error("message cannot be encoded: {detail}")]
    Encode { detail: String },
    #[error("executor sent a frame {kind:?} that does not belong to request {request}")]
    Unexpected { kind: FrameKind, request: RequestId },
    #[error("executor sent more output than it was allowed to, for request {0}")]
    Overrun(RequestId),
    #[error("executor has ended{}", reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    Closed { reason: Option<String> },
    #[error("link cannot be read: {0}")]
    Read(String),
    #[error("link cannot be written: {0}")]
    Write(String),
    #[error("executor answered something else than what it was asked")]
    WrongAnswer,
    #[error("first input has {bytes} bytes, more than can be sent at once")]
    FirstInputTooLong { bytes: usize },
    #[error("link has had too many requests")]
    Exhausted,
    #[error(transparent)]
    Failed(#[from] RequestFailure),
}

impl LinkError {
    pub(super) fn read(error: &io::Error) -> Self {
        Self::Read(error.to_string())
    }

    pub(super) fn write(error: &io::Error) -> Self {
        Self::Write(error.to_string())
    }

    pub(super) fn no_greeting(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Silent("its output ended at once".to_owned()),
            _ => Self::Silent(error.to_string()),
        }
    }
}

impl Explain for LinkError {
    fn fault(&self) -> Fault {
        match self {
            Self::Refused { .. } => Fault::Configuration,
            _ => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Refused { hint, .. } => hint.clone(),
            _ => None,
        }
    }
}
