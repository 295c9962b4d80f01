//! A message of the original in our words.

use std::collections::HashMap;

use hermes_proto::message::{ContentPart, ImageSource, Message, Reasoning, ToolCall};
use serde_json::Value as Json;

/// How the original marks content that is JSON and not text.
const JSON_CONTENT: &str = "\0json:";

/// The columns of one message.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) role: String,
    pub(super) content: Option<String>,
    pub(super) tool_call_id: Option<String>,
    pub(super) tool_calls: Option<String>,
    pub(super) tool_name: Option<String>,
    pub(super) reasoning: Option<String>,
}

/// Translates the messages of one session in their order: results learn their tool's name from the call before.
#[derive(Debug, Default)]
pub(super) struct Translator {
    names: HashMap<String, String>,
}

impl Translator {
    /// `None` for a role that has no place in a transcript.
    pub(super) fn message(&mut self, columns: Columns) -> Option<Message> {
        let content = parts(columns.content.as_deref().unwrap_or_default());
        Some(match columns.role.as_str() {
            "system" => Message::System { text: words(&content) },
            "user" => Message::User { content },
            "assistant" => {
                let tool_calls = calls(columns.tool_calls.as_deref().unwrap_or_default());
                self.names.extend(tool_calls.iter().map(|call| (call.id.to_string(), call.name.clone())));
                let reasoning = columns.reasoning.map(|text| Reasoning { text, replay: None });
                Message::Assistant { text: words(&content), reasoning, tool_calls }
            }
            "tool" => {
                let id = columns.tool_call_id.unwrap_or_default();
                let name = columns.tool_name.or_else(|| self.names.get(&id).cloned()).unwrap_or_default();
                Message::Tool { call_id: id.into(), name, content }
            }
            _ => return None,
        })
    }
}

fn words(content: &[ContentPart]) -> String {
    content.iter().filter_map(ContentPart::as_text).collect::<Vec<_>>().join("\n")
}

fn parts(content: &str) -> Vec<ContentPart> {
    let json = content.strip_prefix(JSON_CONTENT).and_then(|text| serde_json::from_str::<Json>(text).ok());
    match json {
        Some(Json::Array(items)) => items.iter().filter_map(part).collect(),
        Some(Json::String(text)) => vec![ContentPart::text(text)],
        Some(other) => vec![ContentPart::text(other.to_string())],
        None => vec![ContentPart::text(content)],
    }
}

fn part(item: &Json) -> Option<ContentPart> {
    if let Some(text) = item.as_str().or_else(|| item["text"].as_str()) {
        return Some(ContentPart::text(text));
    }
    let url = item["image_url"]["url"].as_str().or_else(|| item["image_url"].as_str())?;
    Some(match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((media_type, data)) => {
            ContentPart::Image { media_type: media_type.to_owned(), source: ImageSource::Base64(data.to_owned()) }
        }
        // An address is kept as words: fetching it years later would bring anything.
        None => ContentPart::text(format!("[image: {url}]")),
    })
}

fn calls(text: &str) -> Vec<ToolCall> {
    let Ok(Json::Array(items)) = serde_json::from_str(text) else { return Vec::new() };
    items.iter().filter_map(call).collect()
}

fn call(item: &Json) -> Option<ToolCall> {
    let function = if item["function"].is_object() { &item["function"] } else { item };
    let name = function["name"].as_str()?.to_owned();
    let id = item["id"].as_str().or_else(|| item["call_id"].as_str()).unwrap_or_default();
    let arguments = match &function["arguments"] {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        other => other.to_string(),
    };
    Some(ToolCall { id: id.into(), name, arguments })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(role: &str, content: &str) -> Columns {
        Columns { role: role.to_owned(), content: Some(content.to_owned()), ..Columns::default() }
    }

    #[test]
    fn messages_of_every_role_are_translated() {
        let mut translator = Translator::default();
        assert_eq!(translator.message(columns("user", "hi")), Some(Message::user("hi")));
        let calling = Columns {
            tool_calls: Some(
                r#"[{"id":"c1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}},
                    {"call_id":"c2","name":"todo","arguments":{"a":1}}, {"id":"broken"}]"#
                    .to_owned(),
            ),
            reasoning: Some("hm".to_owned()),
            ..columns("assistant", "")
        };
        let calling = translator.message(calling).unwrap();
        let calls: Vec<_> = calling
            .tool_calls()
            .iter()
            .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(calls, [("c1", "terminal", "{\"command\":\"ls\"}"), ("c2", "todo", "{\"a\":1}")]);
        let result = Columns { tool_call_id: Some("c1".to_owned()), ..columns("tool", "a\nb") };
        let expected = Message::Tool {
            call_id: "c1".into(),
            name: "terminal".to_owned(),
            content: vec![ContentPart::text("a\nb")],
        };
        assert_eq!(translator.message(result), Some(expected));
        assert_eq!(translator.message(columns("session_meta", "{}")), None);
    }

    #[test]
    fn content_may_be_json_with_images() {
        let text = "\0json:[{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA==\"}},{\"image_url\":{\"url\":\"https://x/y\"}},7]";
        let image =
            ContentPart::Image { media_type: "image/png".to_owned(), source: ImageSource::Base64("AA==".to_owned()) };
        assert_eq!(parts(text), [ContentPart::text("see"), image, ContentPart::text("[image: https://x/y]")]);
        assert_eq!(parts("\0json:{broken"), [ContentPart::text("\0json:{broken")]);
        assert_eq!(parts("[1]"), [ContentPart::text("[1]")]);
    }
}
