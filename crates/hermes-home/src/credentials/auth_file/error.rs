//! What can be wrong with `auth.json` or with a change of it.

use std::path::PathBuf;

use hermes_proto::{Explain, Fault};

use crate::files::FileError;

/// A failed read or change. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum AuthFileError {
    #[error(transparent)]
    File(#[from] FileError),
    /// The source's text ends in the line and the column.
    #[error("cannot parse {}: {source}", path.display())]
    Syntax { path: PathBuf, source: serde_json::Error },
    #[error("cannot use {}: {at} must be {expected}", path.display())]
    Shape { path: PathBuf, at: String, expected: &'static str },
    #[error("this key is already stored for {provider} as {label:?}")]
    Duplicate { provider: String, label: String },
    #[error("{provider} already has a credential with the label {label:?}")]
    LabelTaken { provider: String, label: String },
    #[error("the credential is no longer in auth.json: another program has changed it")]
    Gone,
}

impl Explain for AuthFileError {
    fn fault(&self) -> Fault {
        match self {
            Self::File(error) => error.fault(),
            Self::Syntax { .. } | Self::Shape { .. } => Fault::Configuration,
            Self::Duplicate { .. } | Self::LabelTaken { .. } => Fault::Failed,
            Self::Gone => Fault::TryAgain,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Syntax { path, .. } | Self::Shape { path, .. } => {
                Some(format!("mend {} or move it away; it was left as it is", path.display()))
            }
            Self::LabelTaken { .. } => Some("choose another with --label".to_owned()),
            Self::Duplicate { .. } | Self::Gone => None,
        }
    }
}
