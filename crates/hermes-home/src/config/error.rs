//! Why a configuration was not read or not changed.

use std::fmt;
use std::io;
use std::path::PathBuf;

use hermes_proto::{Explain, Fault};

use super::{Finding, Severity};
use crate::dotenv::DotenvError;
use crate::files::{FileError, UpdateError};
use crate::yaml::{EditError, ParseError, Position};

/// A configuration that was not read or not changed; the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Dotenv(#[from] DotenvError),
    #[error("{}:{}:{}: {source}", path.display(), line(source), column(source))]
    Unreadable { path: PathBuf, source: ParseError },
    #[error("{}", Listed { path, findings })]
    Invalid { path: PathBuf, findings: Vec<Finding> },
    #[error("{}: {source}", path.display())]
    NotEdited { path: PathBuf, source: EditError },
    #[error("{0}")]
    Refused(Finding),
    #[error("{} was changed while the editor was open; nothing was replaced", path.display())]
    ChangedMeanwhile { path: PathBuf, draft: PathBuf },
    #[error("{broken}; {} is as it was", path.display())]
    DraftBroken { path: PathBuf, draft: PathBuf, broken: Box<Self> },
    #[error("cannot {step} {}: {source}", draft.display())]
    Draft { step: &'static str, draft: PathBuf, source: io::Error },
}

impl ConfigError {
    /// The file's content is at fault: an older content can stand in.
    pub(super) fn is_about_content(&self) -> bool {
        matches!(self, Self::Unreadable { .. } | Self::Invalid { .. })
    }
}

fn line(error: &ParseError) -> usize {
    error.position().line
}

fn column(error: &ParseError) -> usize {
    let Position { column, .. } = error.position();
    column
}

/// The first error of a list, and how many more there are.
struct Listed<'a> {
    path: &'a PathBuf,
    findings: &'a [Finding],
}

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut errors = self.findings.iter().filter(|finding| finding.severity() == Severity::Error);
        if let Some(first) = errors.next() {
            write!(formatter, "{}", first.at(self.path))?;
        }
        match errors.count() {
            0 => Ok(()),
            1 => formatter.write_str(" (and 1 more error)"),
            more => write!(formatter, " (and {more} more errors)"),
        }
    }
}

impl From<UpdateError<Self>> for ConfigError {
    fn from(error: UpdateError<Self>) -> Self {
        match error {
            UpdateError::File(error) => Self::File(error),
            UpdateError::Refused(error) => error,
        }
    }
}

impl Explain for ConfigError {
    fn fault(&self) -> Fault {
        match self {
            Self::File(error) => error.fault(),
            Self::Dotenv(error) => error.fault(),
            Self::Refused(_)
            | Self::NotEdited { source: EditError::BelowValue { .. } | EditError::PastEnd { .. }, .. } => Fault::Usage,
            Self::Unreadable { .. } | Self::Invalid { .. } | Self::NotEdited { .. } | Self::DraftBroken { .. } => {
                Fault::Configuration
            }
            Self::ChangedMeanwhile { .. } => Fault::TryAgain,
            Self::Draft { .. } => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Dotenv(error) => error.hint(),
            Self::Unreadable { .. } => Some("mend it with hermes config edit".to_owned()),
            Self::Invalid { .. } => Some("hermes config check lists everything".to_owned()),
            Self::NotEdited { source: EditError::BelowValue { parent, .. }, .. } => {
                Some(format!("remove it first with hermes config unset {parent}"))
            }
            Self::NotEdited { source: EditError::PastEnd { .. }, .. } => {
                Some("set the whole list with hermes config set KEY --json '[…]'".to_owned())
            }
            Self::NotEdited { .. } => Some("change it by hand with hermes config edit".to_owned()),
            Self::ChangedMeanwhile { draft, .. } | Self::DraftBroken { draft, .. } => {
                Some(format!("what you wrote is kept in {}", draft.display()))
            }
            Self::Refused(_) | Self::Draft { .. } => None,
        }
    }
}
