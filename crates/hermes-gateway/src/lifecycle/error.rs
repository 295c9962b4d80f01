//! Why a gateway did not start, stop or take over.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use hermes_home::files::{FileError, UpdateError};
use hermes_proto::{Explain, Fault};

use super::ProcessRecord;

/// What went wrong with the files or the process of a gateway.
#[derive(Debug, thiserror::Error)]
pub enum LifecycleError {
    #[error("a gateway of {} runs already: process {}, started as {:?}", home.display(), owner.pid, owner.argv.join(" "))]
    Running { home: PathBuf, owner: Box<ProcessRecord> },
    #[error("{} is locked by a process that does not say who it is", path.display())]
    LockedByStranger { path: PathBuf },
    #[error("cannot {step} {}", path.display())]
    File { step: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot read what is known about this process")]
    OwnRecord(#[source] io::Error),
    #[error("cannot signal process {pid}")]
    Signal { pid: u32, source: io::Error },
    #[error("process {pid} has not ended within {} seconds", waited.as_secs())]
    NotEnded { pid: u32, waited: Duration },
    #[error(transparent)]
    State(#[from] FileError),
    #[error("{} is not the state of a gateway: {source}", path.display())]
    Malformed { path: PathBuf, source: serde_json::Error },
}

impl LifecycleError {
    pub(super) fn file(step: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { step, path, source }
    }
}

impl From<UpdateError<Self>> for LifecycleError {
    fn from(error: UpdateError<Self>) -> Self {
        match error {
            UpdateError::File(error) => Self::State(error),
            UpdateError::Refused(error) => error,
        }
    }
}

impl Explain for LifecycleError {
    fn fault(&self) -> Fault {
        match self {
            Self::State(error) => error.fault(),
            Self::File { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => Fault::Configuration,
            Self::Running { .. }
            | Self::LockedByStranger { .. }
            | Self::File { .. }
            | Self::OwnRecord(_)
            | Self::Signal { .. }
            | Self::NotEnded { .. }
            | Self::Malformed { .. } => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Running { .. } => Some("stop it with: hermes gateway stop, or take over with --replace".to_owned()),
            Self::State(error) => error.hint(),
            Self::NotEnded { pid, .. } => Some(format!("look at what it does, or end it with: kill -9 {pid}")),
            Self::LockedByStranger { .. }
            | Self::File { .. }
            | Self::OwnRecord(_)
            | Self::Signal { .. }
            | Self::Malformed { .. } => None,
        }
    }
}
