//! What is read of the Bot API's objects, and nothing else of them.
//!
//! Telegram adds fields and kinds every month. What is not named here is not looked at, so that nothing new can make a message unreadable.

use serde::Deserialize;
use serde_json::Value;

/// What every answer is wrapped in.
#[derive(Debug, Deserialize)]
pub(super) struct Envelope {
    pub(super) ok: bool,
    #[serde(default)]
    pub(super) result: Value,
    pub(super) error_code: Option<u16>,
    #[serde(default)]
    pub(super) description: String,
    #[serde(default)]
    pub(super) parameters: Parameters,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Parameters {
    pub(super) retry_after: Option<u64>,
    pub(super) migrate_to_chat_id: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Update {
    pub(super) update_id: i64,
    pub(super) message: Option<Message>,
    pub(super) callback_query: Option<Press>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct User {
    pub(super) id: i64,
    #[serde(default)]
    pub(super) is_bot: bool,
    #[serde(default)]
    pub(super) first_name: String,
    pub(super) last_name: Option<String>,
    pub(super) username: Option<String>,
}

impl User {
    /// As people know them; untrusted text.
    pub(super) fn name(&self) -> String {
        let name = format!("{} {}", self.first_name, self.last_name.as_deref().unwrap_or_default());
        let name = name.trim();
        if name.is_empty() { self.username.clone().unwrap_or_default() } else { name.to_owned() }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Chat {
    pub(super) id: i64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) title: Option<String>,
}

/// Only its presence matters.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Present {}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Message {
    pub(super) message_id: i64,
    pub(super) message_thread_id: Option<i64>,
    #[serde(default)]
    pub(super) is_topic_message: bool,
    pub(super) from: Option<User>,
    /// A channel or a group spoke, not a person.
    pub(super) sender_chat: Option<Present>,
    pub(super) chat: Chat,
    pub(super) reply_to_message: Option<Box<Message>>,
    pub(super) forum_topic_created: Option<Present>,
    /// Messages that were sent together.
    pub(super) media_group_id: Option<String>,
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) entities: Vec<Entity>,
    pub(super) caption: Option<String>,
    #[serde(default)]
    pub(super) caption_entities: Vec<Entity>,
    /// The same picture in several sizes.
    #[serde(default)]
    pub(super) photo: Vec<File>,
    pub(super) document: Option<File>,
    pub(super) audio: Option<File>,
    pub(super) voice: Option<File>,
    pub(super) video: Option<File>,
    pub(super) video_note: Option<File>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Entity {
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Both in units of UTF-16.
    pub(super) offset: usize,
    pub(super) length: usize,
    pub(super) user: Option<User>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct File {
    pub(super) file_id: String,
    pub(super) file_size: Option<u64>,
    pub(super) file_name: Option<String>,
    /// Of an answer to getFile.
    pub(super) file_path: Option<String>,
}

/// Somebody pressed a button.
#[derive(Debug, Deserialize)]
pub(super) struct Press {
    pub(super) id: String,
    pub(super) from: User,
    /// The message under which the button stands.
    pub(super) message: Option<Pressed>,
    pub(super) data: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Pressed {
    pub(super) message_id: i64,
    pub(super) chat: Chat,
}

/// What sending answers.
#[derive(Debug, Deserialize)]
pub(super) struct Sent {
    pub(super) message_id: i64,
}
