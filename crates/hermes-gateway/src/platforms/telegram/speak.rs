//! Messages to a chat: sent, changed, and sent without any markup if Telegram does not like the markup.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::bot::Bot;
use super::error::ApiError;
use super::html::html;
use super::wire::Sent;
use crate::delivery::split;
use crate::{Address, Identifier, Unit};

/// Units of UTF-16 in a message.
pub(super) const LONGEST: usize = 4_096;
/// Shown where there is nothing to show; Telegram takes no empty message.
const NOTHING: &str = "(nothing)";

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Markdown,
    Plain,
}

/// Something to say.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) to: &'a Address,
    pub(super) text: &'a str,
    pub(super) format: Format,
    pub(super) reply_to: Option<&'a Identifier>,
    pub(super) keyboard: Option<Value>,
}

impl<'a> Line<'a> {
    pub(super) fn plain(to: &'a Address, text: &'a str) -> Self {
        Self { to, text, format: Format::Plain, reply_to: None, keyboard: None }
    }
}

impl Bot {
    /// Sends a message; its id.
    pub(super) async fn say(&self, line: &Line<'_>) -> Result<i64, ApiError> {
        let mut parameters = place(line.to);
        parameters["link_preview_options"] = json!({"is_disabled": true});
        if let Some(message) = line.reply_to.and_then(|id| id.as_str().parse::<i64>().ok()) {
            parameters["reply_parameters"] = json!({"message_id": message, "allow_sending_without_reply": true});
        }
        if let Some(keyboard) = &line.keyboard {
            parameters["reply_markup"] = keyboard.clone();
        }
        let sent: Sent = self.write("sendMessage", parameters, line.text, line.format).await?;
        Ok(sent.message_id)
    }

    /// Gives a message another text. Its buttons vanish.
    pub(super) async fn edit(
        &self,
        chat: &Identifier,
        message: i64,
        text: &str,
        format: Format,
    ) -> Result<(), ApiError> {
        let mut parameters = json!({"chat_id": chat_id(chat), "message_id": message});
        parameters["link_preview_options"] = json!({"is_disabled": true});
        match self.write::<Value>("editMessageText", parameters, text, format).await {
            Err(error) if error.says("not modified") => Ok(()),
            edited => edited.map(drop),
        }
    }

    /// Shows that work goes on, for some seconds.
    pub(super) async fn show_typing(&self, to: &Address) -> Result<(), ApiError> {
        if self.pace.held(to.chat.as_str()).is_some() {
            return Ok(());
        }
        let mut parameters = place(to);
        parameters["action"] = json!("typing");
        self.to_chat::<Value>("sendChatAction", &parameters).await.map(drop)
    }

    async fn write<T: DeserializeOwned>(
        &self,
        method: &str,
        mut parameters: Value,
        text: &str,
        format: Format,
    ) -> Result<T, ApiError> {
        if format == Format::Markdown
            && let Some(html) = html(text)
        {
            parameters["text"] = json!(html);
            parameters["parse_mode"] = json!("HTML");
            match self.to_chat(method, &parameters).await {
                Err(error) if error.is_about_the_text() => {
                    tracing::info!(%error, "a message is sent without its markup");
                }
                done => return done,
            }
            parameters.as_object_mut().map(|parameters| parameters.remove("parse_mode"));
        }
        parameters["text"] = json!(shortened(text, LONGEST));
        self.to_chat(method, &parameters).await
    }

    /// Calls a method that concerns a chat: a group that has got another id is followed, and a pause that Telegram wants is kept.
    async fn to_chat<T: DeserializeOwned>(&self, method: &str, parameters: &Value) -> Result<T, ApiError> {
        let called = match self.api.call(method, parameters).await {
            Err(ApiError::Refused { moved_to: Some(chat), .. }) => {
                let mut moved = parameters.clone();
                moved["chat_id"] = json!(chat);
                self.api.call(method, &moved).await
            }
            called => called,
        };
        if let Err(ApiError::TooMany { after }) = &called {
            let chat = parameters["chat_id"].to_string();
            self.pace.hold(chat.trim_matches('"'), *after);
        }
        called
    }
}

/// The beginning of a text that is too long for a message.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    let text = if text.trim().is_empty() { NOTHING } else { text };
    if text.encode_utf16().count() <= longest {
        return text.to_owned();
    }
    let beginning = split(text, longest.saturating_sub(2), Unit::Utf16).into_iter().next().unwrap_or_default();
    format!("{beginning}\n…")
}

/// The chat and the topic of it, as parameters of a call.
pub(super) fn place(to: &Address) -> Value {
    let mut parameters = json!({"chat_id": chat_id(&to.chat)});
    if let Some(thread) = to.thread.as_ref().and_then(|thread| thread.as_str().parse::<i64>().ok()) {
        parameters["message_thread_id"] = json!(thread);
    }
    parameters
}

fn chat_id(chat: &Identifier) -> Value {
    chat.as_str().parse::<i64>().map_or_else(|_| json!(chat.as_str()), |id| json!(id))
}
