//! What can go wrong with a call of the Bot API, and what that means for a delivery. No text here holds the token.

use std::time::Duration;

use crate::DeliveryError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ApiError {
    /// It was never sent.
    #[error("Telegram is not reachable: {0}")]
    Unreachable(String),
    /// The connection ended before the answer came: it may have been done.
    #[error("the connection to Telegram failed: {0}")]
    Broken(String),
    /// It may have been done, too.
    #[error("Telegram answered something that is no answer: {0}")]
    Garbled(String),
    #[error("Telegram is out of order ({0})")]
    Unavailable(u16),
    #[error("Telegram wants a pause of {} seconds", after.as_secs())]
    TooMany { after: Duration },
    #[error("Telegram does not know the token")]
    Token,
    #[error("another program receives the messages of this bot: {0}")]
    Conflict(String),
    #[error("Telegram refuses it ({code}): {description}")]
    Refused { code: u16, description: String, moved_to: Option<i64> },
}

impl ApiError {
    /// Whether the same call may work later.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Broken(_) | Self::Garbled(_) | Self::Unavailable(_) | Self::TooMany { .. } => {
                true
            }
            Self::Token | Self::Conflict(_) | Self::Refused { .. } => false,
        }
    }

    /// Whether Telegram refused it for this reason.
    pub(super) fn says(&self, words: &str) -> bool {
        matches!(self, Self::Refused { description, .. }
            if description.to_ascii_lowercase().contains(&words.to_ascii_lowercase()))
    }

    /// Whether another text could have fared better.
    pub(super) fn is_about_the_text(&self) -> bool {
        const OTHERS: [&str; 9] = [
            "chat not found",
            "thread not found",
            "rights",
            "topic_closed",
            "topic_deleted",
            "peer_id_invalid",
            "not modified",
            "to edit not found",
            "can't be edited",
        ];
        matches!(self, Self::Refused { code: 400, .. }) && !OTHERS.iter().any(|words| self.says(words))
    }

    /// Of something that would be shown twice if it was sent twice.
    pub(super) fn of_sending(self) -> DeliveryError {
        match self {
            Self::Broken(_) | Self::Garbled(_) => DeliveryError::Unclear { cause: self.to_string() },
            error => error.of_repeatable(),
        }
    }

    /// Of something that may be done twice.
    pub(super) fn of_repeatable(self) -> DeliveryError {
        match self {
            Self::TooMany { after } => DeliveryError::Later { cause: self.to_string(), after: Some(after) },
            Self::Refused { .. } => DeliveryError::never(self),
            error => DeliveryError::later(error),
        }
    }
}
