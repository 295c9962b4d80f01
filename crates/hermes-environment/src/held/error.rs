//! What can go wrong with held sessions, on either side of the socket.

use std::io;
use std::path::PathBuf;

use hermes_home::files::{FileError, Holder as LockHolder};
use hermes_proto::executor::{AttachRefused, RequestFailure};
use hermes_proto::{Explain, Fault};

use crate::link::LinkError;

/// Why sessions cannot be held, or a held one cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HeldError {
    #[error(transparent)]
    Home(#[from] FileError),
    #[error("cannot open {}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot open {}: {source}", path.display())]
    OpenLock { path: PathBuf, source: io::Error },
    #[error("cannot lock {}: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("sessions of this home are held already: {}", holder_text(holder.as_ref()))]
    Held { holder: Option<LockHolder> },
    #[error("{} is there and is not a socket", path.display())]
    InTheWay { path: PathBuf },
    #[error("cannot replace {}: {source}", path.display())]
    Replace { path: PathBuf, source: io::Error },
    #[error("cannot listen on {}: {source}", path.display())]
    Listen { path: PathBuf, source: io::Error },
    #[error("cannot connect to {}: {source}", path.display())]
    Connect { path: PathBuf, source: io::Error },
    #[error("{} is held by the user {uid}, not by this one", path.display())]
    ForeignHolder { path: PathBuf, uid: u32 },
    #[error("the process that holds the session has ended{}", because(reason.as_deref()))]
    Gone { reason: Option<String> },
    #[error(transparent)]
    Refused(#[from] AttachRefused),
    /// By policy, in the words of the holder.
    #[error("{message}")]
    NotPermitted { message: String },
    #[error("link to the process that holds the session: {0}")]
    Link(#[source] LinkError),
}

impl HeldError {
    /// An error of the link to the holder.
    pub(super) fn link(error: LinkError) -> Self {
        match error {
            LinkError::Closed { reason } => Self::Gone { reason },
            // A local socket fails in one way only: nobody is at its other end.
            LinkError::Silent(reason) | LinkError::Read(reason) | LinkError::Write(reason) => {
                Self::Gone { reason: Some(reason) }
            }
            LinkError::Failed(RequestFailure::Refused { message }) => Self::NotPermitted { message },
            error => Self::Link(error),
        }
    }
}

fn holder_text(holder: Option<&LockHolder>) -> String {
    holder.map_or_else(|| "another process has exec.lock".to_owned(), LockHolder::to_string)
}

fn because(reason: Option<&str>) -> String {
    reason.map(|reason| format!(": {reason}")).unwrap_or_default()
}

impl Explain for HeldError {
    fn fault(&self) -> Fault {
        match self {
            Self::Home(error) => error.fault(),
            Self::Refused(refused) => refused.fault(),
            Self::Held { .. } | Self::Gone { .. } => Fault::TryAgain,
            _ => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Home(error) => error.hint(),
            Self::Refused(refused) => refused.hint(),
            Self::Held { holder: Some(holder) } => Some(format!("it ends with: kill {}", holder.pid)),
            Self::NotPermitted { .. } => Some("nothing was started; rules: hermes approvals rules".to_owned()),
            Self::InTheWay { .. } => Some("look at what it is, and move it away".to_owned()),
            _ => None,
        }
    }
}
