//! Why there was no answer, or no place for it.

use std::io;
use std::path::PathBuf;

use hermes_proto::{Explain, Fault};

use crate::error::TerminalError;

#[derive(Debug, thiserror::Error)]
pub enum OnceError {
    #[error("cannot read standard input: {0}")]
    Input(#[source] io::Error),
    #[error("standard input is longer than {limit} bytes")]
    InputTooLong { limit: u64 },
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
    #[error("cannot write the usage file {}: {error}", path.display())]
    UsageFile { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Terminal(#[from] TerminalError),
}

impl Explain for OnceError {
    fn fault(&self) -> Fault {
        match self {
            Self::InputTooLong { .. } => Fault::Usage,
            Self::Input(_) | Self::Output(_) | Self::UsageFile { .. } => Fault::Failed,
            Self::Terminal(error) => error.fault(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::InputTooLong { .. } => Some("name the file in the prompt; the agent can read it".to_owned()),
            Self::Input(_) | Self::Output(_) | Self::UsageFile { .. } => None,
            Self::Terminal(error) => error.hint(),
        }
    }
}
