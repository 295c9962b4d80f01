//! One message of a conversation.

use serde::{Deserialize, Serialize};

use super::{ContentPart, ToolCall, ToolCallId};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        text: String,
    },
    User {
        content: Vec<ContentPart>,
    },
    Assistant {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<Reasoning>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// The result of one tool call.
    Tool {
        call_id: ToolCallId,
        name: String,
        content: Vec<ContentPart>,
    },
}

/// What the model thought before it answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reasoning {
    /// May be empty: some providers keep their reasoning to themselves.
    pub text: String,
    /// The provider's own data (a signature, encrypted content) that has to be sent back unchanged, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

impl Message {
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::User { content: vec![ContentPart::text(text)] }
    }

    /// An answer in plain words.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), reasoning: None, tool_calls: Vec::new() }
    }

    /// The result of `call`, in plain words.
    pub fn tool_result(call: &ToolCall, text: impl Into<String>) -> Self {
        Self::Tool { call_id: call.id.clone(), name: call.name.clone(), content: vec![ContentPart::text(text)] }
    }

    pub fn role(&self) -> Role {
        match self {
            Self::System { .. } => Role::System,
            Self::User { .. } => Role::User,
            Self::Assistant { .. } => Role::Assistant,
            Self::Tool { .. } => Role::Tool,
        }
    }

    /// All that was said in words, one part to a line. Reasoning and tool calls are not among it.
    pub fn text(&self) -> String {
        match self {
            Self::System { text } | Self::Assistant { text, .. } => text.clone(),
            Self::User { content } | Self::Tool { content, .. } => {
                content.iter().filter_map(ContentPart::as_text).collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// The tools the model wants run; none for any other message.
    pub fn tool_calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant { tool_calls, .. } => tool_calls,
            Self::System { .. } | Self::User { .. } | Self::Tool { .. } => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ImageSource;
    use super::*;

    #[track_caller]
    fn check(message: &Message, json: &str) {
        assert_eq!(serde_json::to_string(message).unwrap(), json);
        assert_eq!(&serde_json::from_str::<Message>(json).unwrap(), message);
    }

    #[test]
    fn every_message_is_written_and_read_back_as_it_was() {
        let call = ToolCall { id: "call_1".into(), name: "terminal".to_owned(), arguments: "{\"command\":".to_owned() };
        check(&Message::system("be kind"), r#"{"role":"system","text":"be kind"}"#);
        check(&Message::user("hello"), r#"{"role":"user","content":[{"type":"text","text":"hello"}]}"#);
        check(&Message::assistant("hi"), r#"{"role":"assistant","text":"hi"}"#);
        check(
            &Message::tool_result(&call, "done"),
            r#"{"role":"tool","call_id":"call_1","name":"terminal","content":[{"type":"text","text":"done"}]}"#,
        );
        check(
            &Message::Assistant {
                text: String::new(),
                reasoning: Some(Reasoning { text: "hm".to_owned(), replay: Some("{}".to_owned()) }),
                tool_calls: vec![call],
            },
            r#"{"role":"assistant","reasoning":{"text":"hm","replay":"{}"},"tool_calls":[{"id":"call_1","name":"terminal","arguments":"{\"command\":"}]}"#,
        );
        let image = |source| ContentPart::Image { media_type: "image/png".to_owned(), source };
        check(
            &Message::User {
                content: vec![
                    image(ImageSource::Base64("AA==".to_owned())),
                    image(ImageSource::Path("/a.png".to_owned())),
                ],
            },
            r#"{"role":"user","content":[{"type":"image","media_type":"image/png","source":{"base64":"AA=="}},{"type":"image","media_type":"image/png","source":{"path":"/a.png"}}]}"#,
        );
    }

    #[test]
    fn what_a_newer_version_wrote_is_still_read() {
        let message: Message = serde_json::from_str(
            r#"{"role":"user","mood":"fine","content":[{"type":"hologram","data":[1]},{"type":"text","text":"hi","lang":"en"}]}"#,
        )
        .unwrap();
        assert_eq!(message, Message::User { content: vec![ContentPart::Unknown, ContentPart::text("hi")] });
        assert_eq!(message.text(), "hi");
    }
}
