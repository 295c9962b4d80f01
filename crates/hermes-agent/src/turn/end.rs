//! How a turn ends, and why one failed.

use hermes_model::ModelError;
use hermes_proto::message::{ContentPart, ImageSource, Message, Usage};
use hermes_proto::{Explain, Fault};

use crate::session::KeepError;

/// What a person said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserInput {
    pub text: String,
    pub images: Vec<InputImage>,
}

/// An image that came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputImage {
    /// For example `image/png`.
    pub media_type: String,
    pub source: ImageSource,
}

impl UserInput {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), images: Vec::new() }
    }

    pub(crate) fn into_message(self) -> Message {
        let mut content = vec![ContentPart::text(self.text)];
        let images = self.images.into_iter();
        content.extend(images.map(|image| ContentPart::Image { media_type: image.media_type, source: image.source }));
        Message::User { content }
    }
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndReason {
    Answered,
    /// The budget of model calls was used up.
    MaxTurns,
    /// The person stopped it.
    Interrupted,
    /// Its deadline passed.
    TimedOut,
    /// The same call failed again and again.
    Stuck {
        tool: String,
    },
    /// The model said nothing, twice.
    Empty,
    /// The provider's content policy cut the answer off.
    Filtered,
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// The last thing the model said; may be empty.
    pub answer: String,
    /// Of all model calls of the turn, those of delegated tasks among them.
    pub usage: Usage,
    /// How often the model was asked.
    pub rounds: u32,
    pub reason: EndReason,
}

/// Why a turn gave no answer. The conversation is whole and goes on.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("the conversation cannot be kept: {0}")]
    Keep(#[from] KeepError),
    #[error("there is nothing to ask again")]
    NothingToRetry,
}

impl Explain for TurnError {
    fn fault(&self) -> Fault {
        match self {
            Self::Model(error) => error.fault(),
            Self::Keep(error) => error.fault(),
            Self::NothingToRetry => Fault::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Keep(error) => error.hint(),
            Self::NothingToRetry => None,
        }
    }
}
