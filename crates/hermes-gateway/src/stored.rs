//! What the ledger keeps of messages and deliveries, as JSON.
//!
//! The types of the interface are not serialisable themselves: what is on disk is a format, and changes of it are changes here.

use hermes_agent::Toolset;
use hermes_proto::turn::{Delivery, Surface};
use serde::{Deserialize, Serialize};

use crate::{Address, Attachment, Chat, Content, Continuing, Identifier, Incoming, Person};

/// A message in the inbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredMessage {
    chat: Chat,
    person: Person,
    message: Identifier,
    text: String,
    #[serde(default)]
    attachments: Vec<Attachment>,
    is_deliverable: bool,
    surface: String,
    #[serde(default)]
    approvers: Vec<Identifier>,
    continuing: Continuing,
    /// By name.
    #[serde(default)]
    toolsets: Option<Vec<String>>,
    #[serde(default)]
    deliver_to: Option<Address>,
}

/// Where a conversation is held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Route {
    pub(crate) address: Address,
    pub(crate) is_deliverable: bool,
}

/// A delivery in the outbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredDelivery {
    pub(crate) address: Address,
    pub(crate) reply_to: Option<Identifier>,
    pub(crate) content: Content,
}

impl From<&Incoming> for StoredMessage {
    fn from(incoming: &Incoming) -> Self {
        let incoming = incoming.clone();
        Self {
            chat: incoming.chat,
            person: incoming.person,
            message: incoming.message,
            text: incoming.text,
            attachments: incoming.attachments,
            is_deliverable: incoming.delivery.is_supported(),
            surface: incoming.surface.name().to_owned(),
            approvers: incoming.approvers,
            continuing: incoming.continuing,
            deliver_to: incoming.deliver_to,
            toolsets: incoming.toolsets.map(|sets| sets.into_iter().map(|set| set.name().to_owned()).collect()),
        }
    }
}

impl From<StoredMessage> for Incoming {
    fn from(stored: StoredMessage) -> Self {
        // A surface of a newer version has nobody to ask.
        let surface = Surface::ALL.into_iter().find(|surface| surface.name() == stored.surface);
        Self {
            chat: stored.chat,
            person: stored.person,
            message: stored.message,
            text: stored.text,
            attachments: stored.attachments,
            delivery: if stored.is_deliverable { Delivery::Supported } else { Delivery::Unsupported },
            surface: surface.unwrap_or(Surface::Headless),
            approvers: stored.approvers,
            continuing: stored.continuing,
            deliver_to: stored.deliver_to,
            toolsets: stored.toolsets.map(|names| names.iter().filter_map(|name| Toolset::named(name)).collect()),
            key: None,
        }
    }
}

impl From<&Incoming> for Route {
    fn from(incoming: &Incoming) -> Self {
        Self { address: incoming.answered_at().clone(), is_deliverable: incoming.delivery.is_supported() }
    }
}
