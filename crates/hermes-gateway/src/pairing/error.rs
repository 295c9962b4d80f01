//! Why pairing did not work.

use hermes_home::files::{FileError, UpdateError};
use hermes_proto::{Explain, Fault};

use crate::Platform;

#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{file} in the folder pairing of the home is not what Hermes writes there: {problem}")]
    Unreadable { file: String, problem: String },
    #[error("{file} in the folder pairing of the home cannot be written: {problem}")]
    Unwritable { file: String, problem: String },
    #[error("the folder pairing of the home cannot be listed: {0}")]
    Folder(#[source] std::io::Error),
    #[error("no code of {platform} that still counts is this one")]
    UnknownCode { platform: Platform },
    #[error("too many wrong codes of {platform} were tried: approving is locked for {minutes} minutes")]
    Locked { platform: Platform, minutes: u64 },
    #[error("the kernel gives no random bytes: {0}")]
    Random(#[source] std::io::Error),
}

impl From<UpdateError<PairingError>> for PairingError {
    fn from(error: UpdateError<PairingError>) -> Self {
        match error {
            UpdateError::File(error) => Self::File(error),
            UpdateError::Refused(error) => error,
        }
    }
}

impl Explain for PairingError {
    fn fault(&self) -> Fault {
        match self {
            Self::File(error) => error.fault(),
            Self::UnknownCode { .. } => Fault::Usage,
            Self::Locked { .. } => Fault::TryAgain,
            Self::Unreadable { .. } => Fault::Configuration,
            Self::Unwritable { .. } | Self::Folder(_) | Self::Random(_) => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::UnknownCode { .. } => Some("hermes pairing list shows who waits; codes end after an hour".to_owned()),
            Self::Unreadable { .. } => Some("mend the file, or remove it and pair again".to_owned()),
            _ => None,
        }
    }
}
