//! What can go wrong with a session.

use std::io;
use std::path::PathBuf;

use hermes_home::files::quoted;
use hermes_proto::{Explain, Fault};

use super::{Position, SessionId, TitleProblem};
use crate::StoreError;

/// A request about sessions that could not be met. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no session {asked:?}")]
    NotFound { asked: String },
    #[error("there are no sessions yet")]
    NoneYet,
    #[error("{asked:?} is the beginning of {} sessions: {}", candidates.len(), listed(candidates))]
    Ambiguous { asked: String, candidates: Vec<SessionId> },
    #[error("a title cannot be {text:?}: {problem}")]
    Title { text: String, problem: TitleProblem },
    #[error("session {holder} has the title {title:?} already")]
    TitleTaken { title: String, holder: SessionId },
    #[error("session {session} has no message at position {position} that the model sees")]
    NotInTranscript { session: SessionId, position: Position },
    #[error("session {session} has no room for a summary behind position {position}")]
    NoRoom { session: SessionId, position: Position },
    #[error("message {position} of session {session} cannot be read: {source}")]
    Unreadable { session: SessionId, position: Position, source: serde_json::Error },
    #[error("a message cannot be written")]
    Unwritable(#[source] serde_json::Error),
    #[error("cannot read {}", path.display())]
    Look { path: PathBuf, source: io::Error },
    #[error("cannot read sessions from {}: {source}", path.display())]
    Original { path: PathBuf, source: rusqlite::Error },
    #[error("{} has no sessions of the original: it lacks the table or column {lacks}", path.display())]
    NotOriginal { path: PathBuf, lacks: &'static str },
}

impl Explain for SessionError {
    fn fault(&self) -> Fault {
        match self {
            Self::Store(error) => error.fault(),
            Self::Ambiguous { .. } | Self::Title { .. } => Fault::Usage,
            Self::Unreadable { .. } => Fault::Configuration,
            Self::NotFound { .. }
            | Self::NoneYet
            | Self::TitleTaken { .. }
            | Self::NotInTranscript { .. }
            | Self::NoRoom { .. }
            | Self::Unwritable(_)
            | Self::Look { .. }
            | Self::Original { .. }
            | Self::NotOriginal { .. } => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::NotFound { .. } => Some("hermes sessions list shows ids and titles".to_owned()),
            Self::Ambiguous { .. } => Some("type more of the id".to_owned()),
            Self::TitleTaken { .. } => Some("choose another title, or rename that session first".to_owned()),
            Self::Look { path, .. } | Self::NotOriginal { path, .. } => {
                Some(format!("name the original's state.db; this is {}", quoted(path)))
            }
            Self::NoneYet
            | Self::Title { .. }
            | Self::NotInTranscript { .. }
            | Self::NoRoom { .. }
            | Self::Unreadable { .. }
            | Self::Unwritable(_)
            | Self::Original { .. } => None,
        }
    }
}

/// A few of them, for a message.
fn listed(candidates: &[SessionId]) -> String {
    const SHOWN: usize = 3;
    let mut text = candidates.iter().take(SHOWN).map(SessionId::as_str).collect::<Vec<_>>().join(", ");
    if candidates.len() > SHOWN {
        text.push_str(", …");
    }
    text
}
