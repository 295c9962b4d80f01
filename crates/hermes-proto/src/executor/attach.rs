//! How a link to a held session begins: instead of `Open` the caller names the session, and
//! whoever holds it answers with what it is like, or why not.

use serde::{Deserialize, Serialize};

use super::Ready;
use crate::session::SessionKey;
use crate::{Explain, Fault};

/// What a caller tells the holder of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attach {
    /// The caller's build.
    pub build: String,
    pub session: SessionKey,
    /// Where the session lives if this is its first command.
    pub working_directory: String,
}

/// The holder's answer to [`Attach`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attached {
    Ready {
        session: Ready,
        /// What the person should know besides, such as state that was lost.
        notes: Vec<String>,
    },
    Refused(AttachRefused),
}

/// There is no such session to be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct AttachRefused {
    pub reason: String,
    pub hint: Option<String>,
    pub cause: RefusalCause,
}

/// Whose turn it is after a refusal: [`Fault`] as it travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCause {
    Failed,
    Usage,
    TryAgain,
    Configuration,
}

impl AttachRefused {
    /// An error as the caller would have met it without a holder.
    pub fn because(error: &impl Explain) -> Self {
        let cause = match error.fault() {
            Fault::Failed => RefusalCause::Failed,
            Fault::Usage => RefusalCause::Usage,
            Fault::TryAgain => RefusalCause::TryAgain,
            Fault::Configuration => RefusalCause::Configuration,
        };
        Self { reason: error.to_string(), hint: error.hint(), cause }
    }
}

impl Explain for AttachRefused {
    fn fault(&self) -> Fault {
        match self.cause {
            RefusalCause::Failed => Fault::Failed,
            RefusalCause::Usage => Fault::Usage,
            RefusalCause::TryAgain => Fault::TryAgain,
            RefusalCause::Configuration => Fault::Configuration,
        }
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::AttachRefused;
    use crate::session::InvalidSessionKey;
    use crate::{Explain, Fault};

    #[test]
    fn a_refusal_keeps_whose_fault_it_is() {
        let refused = AttachRefused::because(&InvalidSessionKey::Empty);
        assert_eq!(refused.fault(), Fault::Usage);
        assert_eq!(AttachRefused::because(&refused), refused);
    }
}
