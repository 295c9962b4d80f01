//! What can go wrong with a place where commands run.

use std::io;
use std::path::PathBuf;

use hermes_approval::PermitError;
use hermes_home::files::FileError;
use hermes_proto::{Explain, Fault};

use crate::link::LinkError;

/// Why an environment cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    #[error("cannot use {} as a workspace: {source}", path.display())]
    Workspace { path: PathBuf, source: io::Error },
    #[error("{} is not UTF-8, and a link carries only that", path.display())]
    PathNotText { path: PathBuf },
    #[error("cannot make a folder for long output in {}: {source}", path.display())]
    Spill { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Home(#[from] FileError),
    #[error("cannot start the executor: {0}")]
    Start(#[source] io::Error),
    #[error(transparent)]
    Permit(#[from] PermitError),
    #[error("{error}{}", said(complaints))]
    Link { error: LinkError, complaints: String },
    #[error("cannot wait for the executor's end: {0}")]
    Finish(#[source] io::Error),
}

/// What the executor said on standard error, if anything.
fn said(complaints: &str) -> String {
    if complaints.is_empty() { String::new() } else { format!(" (it said: {complaints})") }
}

impl Explain for EnvironmentError {
    fn fault(&self) -> Fault {
        match self {
            Self::Link { error, .. } => error.fault(),
            Self::Home(error) => error.fault(),
            Self::Permit(error) => error.fault(),
            _ => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Link { error, .. } => error.hint(),
            Self::Home(error) => error.hint(),
            _ => None,
        }
    }
}
