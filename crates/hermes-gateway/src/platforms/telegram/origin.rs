//! Where a message comes from and whose it is. What no person said in a chat has no origin here, and is not looked at.

use super::wire::Message;
use crate::{Address, Chat, ChatKind, Identifier, Platform};

#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) chat: Chat,
    pub(super) person: Identifier,
    /// As they call themselves; untrusted text.
    pub(super) name: String,
    pub(super) message: Identifier,
}

impl Origin {
    pub(super) fn of(platform: &Platform, message: &Message) -> Option<Self> {
        let from = message.from.as_ref().filter(|from| !from.is_bot && message.sender_chat.is_none())?;
        let kind = match message.chat.kind.as_str() {
            "private" => ChatKind::Direct,
            "group" | "supergroup" => ChatKind::Group,
            _ => return None,
        };
        // Answers to answers have a thread too, that is no topic.
        let thread = message.message_thread_id.filter(|_| message.is_topic_message);
        let id = |id: i64| id.to_string().parse::<Identifier>().ok();
        let address = Address { platform: platform.clone(), chat: id(message.chat.id)?, thread: thread.and_then(id) };
        let name = from.name();
        let chat_name = message.chat.title.clone().unwrap_or_else(|| name.clone());
        let chat = Chat { address, kind, name: Some(chat_name), parent: None, scope: None };
        Some(Self { chat, person: id(from.id)?, name, message: id(message.message_id)? })
    }

    pub(super) fn is_private(&self) -> bool {
        self.chat.kind == ChatKind::Direct
    }
}
