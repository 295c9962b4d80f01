//! The parts of a message that a person or a tool gave.

use serde::{Deserialize, Serialize};

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentPart {
    Text {
        text: String,
    },
    Image {
        /// For example `image/png`.
        media_type: String,
        source: ImageSource,
    },
    /// A kind of part that a newer version wrote. It is shown as such and never sent to a model.
    #[serde(other)]
    Unknown,
}

/// Where an image's bytes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageSource {
    Base64(String),
    /// A file on the machine that runs Hermes.
    Path(String),
}

impl ContentPart {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// The text, if this part is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Image { .. } | Self::Unknown => None,
        }
    }
}
