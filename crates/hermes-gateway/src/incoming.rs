//! A message as an adapter hands it over: everything that its turn will know about where it came from.

use std::path::PathBuf;

use hermes_agent::Toolset;
use hermes_proto::message::Message;
use hermes_proto::turn::{Delivery, Surface};

use crate::{Address, Chat, Identifier, Person};

/// A file that came with a message. It is on disk before the message is handed over.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Attachment {
    /// As the sender called it; untrusted text.
    pub name: String,
    /// For example `image/png`.
    pub media_type: String,
    /// In [`crate::Inbox::attachments`].
    pub path: PathBuf,
}

/// Which session a message goes on with.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Continuing {
    /// The one that was used last in this conversation, or a new one.
    Conversation,
    /// This one, which must belong to this conversation.
    Session(String),
    /// A new one that begins with these messages.
    Fresh(Vec<Message>),
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Incoming {
    pub chat: Chat,
    pub person: Person,
    /// The platform's id of the message. The same one is worked on once, however often it is handed over.
    pub message: Identifier,
    pub text: String,
    pub attachments: Vec<Attachment>,
    /// Whether something that happens after the turn can still be told.
    pub delivery: Delivery,
    pub surface: Surface,
    /// Who may answer the turn's questions, besides its sender.
    pub approvers: Vec<Identifier>,
    pub continuing: Continuing,
    /// Only these tools; where nothing is said, what `platform_toolsets` allows.
    pub toolsets: Option<Vec<Toolset>>,
    /// Where what comes of it goes, if not into its own chat. Nothing is shown or asked there.
    pub deliver_to: Option<Address>,
    /// A key given by an authenticated caller, in place of the one that chat and person make.
    pub key: Option<hermes_proto::session::SessionKey>,
}

impl Incoming {
    /// Where what comes of it goes.
    pub(crate) fn answered_at(&self) -> &Address {
        self.deliver_to.as_ref().unwrap_or(&self.chat.address)
    }

    /// A text on a chat platform.
    pub fn text(chat: Chat, person: Person, message: Identifier, text: impl Into<String>) -> Self {
        Self {
            chat,
            person,
            message,
            text: text.into(),
            attachments: Vec::new(),
            delivery: Delivery::Supported,
            surface: Surface::Gateway,
            approvers: Vec::new(),
            continuing: Continuing::Conversation,
            toolsets: None,
            deliver_to: None,
            key: None,
        }
    }
}
