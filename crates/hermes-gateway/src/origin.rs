//! Where a message comes from and whose it is.

use serde::{Deserialize, Serialize};

use crate::{Identifier, Platform};

/// What kind of conversation a chat is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatKind {
    Direct,
    Group,
    Channel,
    /// A conversation of its own that hangs on a channel.
    Thread,
}

impl ChatKind {
    /// As keys and session variables have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "dm",
            Self::Group => "group",
            Self::Channel => "channel",
            Self::Thread => "thread",
        }
    }
}

/// A place on a platform to which something can be delivered.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Address {
    pub platform: Platform,
    pub chat: Identifier,
    /// A topic or thread in the chat.
    pub thread: Option<Identifier>,
}

/// The chat a message stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat {
    pub address: Address,
    pub kind: ChatKind,
    /// Shown to people; untrusted text.
    pub name: Option<String>,
    /// The channel that a thread hangs on.
    pub parent: Option<Identifier>,
    /// The guild, workspace or server.
    pub scope: Option<Identifier>,
}

impl Chat {
    /// A private conversation about which nothing else is known.
    pub fn direct(platform: Platform, chat: Identifier) -> Self {
        let address = Address { platform, chat, thread: None };
        Self { address, kind: ChatKind::Direct, name: None, parent: None, scope: None }
    }

    /// The same for a group.
    pub fn group(platform: Platform, chat: Identifier) -> Self {
        Self { kind: ChatKind::Group, ..Self::direct(platform, chat) }
    }
}

/// What somebody may do beyond talking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Talks, and decides about their own conversation.
    User,
    /// Also decides what the agent may do without asking, and which model it uses.
    Admin,
}

/// Somebody, as the platform has authenticated them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    pub id: Identifier,
    /// Another id, where that is the one that stays.
    pub alternative: Option<Identifier>,
    /// Shown to people; untrusted text.
    pub name: Option<String>,
    pub role: Role,
}

impl Person {
    pub fn new(id: Identifier, role: Role) -> Self {
        Self { id, alternative: None, name: None, role }
    }
}
