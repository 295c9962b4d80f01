//! Why a session was not opened, kept or changed.

use hermes_proto::{Explain, Fault};
use hermes_store::sessions;

use crate::prompt::PromptError;

/// What was said could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    #[error(transparent)]
    Store(#[from] sessions::SessionError),
    #[error("the store failed unexpectedly")]
    Broken,
}

/// A session was not opened or changed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Keep(#[from] KeepError),
    #[error("the prompt cannot be put together: {0}")]
    Prompt(#[from] PromptError),
    #[error("there is nothing to take back")]
    NothingToUndo,
}

impl Explain for KeepError {
    fn fault(&self) -> Fault {
        match self {
            Self::Store(error) => error.fault(),
            Self::Broken => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Broken => None,
        }
    }
}

impl Explain for SessionError {
    fn fault(&self) -> Fault {
        match self {
            Self::Keep(error) => error.fault(),
            Self::Prompt(error) => error.fault(),
            Self::NothingToUndo => Fault::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Keep(error) => error.hint(),
            Self::Prompt(error) => error.hint(),
            Self::NothingToUndo => None,
        }
    }
}
