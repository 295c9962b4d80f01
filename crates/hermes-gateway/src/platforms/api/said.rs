//! What callers write in OpenAI's formats, and what is said by it.
//!
//! The last message is what the turn is about, all before it is history. An image comes inside the request: fetching addresses that a
//! caller names would let it look around in the network that the gateway stands in.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hermes_proto::message::{ContentPart, ImageSource, Message, ToolCall};
use serde::{Deserialize, Serialize};

use super::error::ApiError;

/// Kinds of images that models understand.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// One message or item.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct Said {
    /// Items that are no messages say what they are.
    #[serde(default, rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    tool_calls: Option<Vec<SaidCall>>,
    #[serde(default)]
    tool_call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "a text or a list of parts")]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Clone, Deserialize, Serialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    image_url: Option<Address>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged, expecting = "an address or an object with one as url")]
enum Address {
    Bare(String),
    Object { url: String },
}

#[derive(Debug, Clone, Deserialize, Serialize)]
struct SaidCall {
    id: String,
    function: SaidFunction,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
struct SaidFunction {
    name: String,
    #[serde(default)]
    arguments: String,
}

/// An image that came inside a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

/// What a person said last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) images: Vec<Image>,
}

/// A conversation up to what was said last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) history: Vec<Message>,
    pub(super) question: Question,
}

/// Words without images, as they are kept to go on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Words {
    pub(super) messages: Vec<Message>,
}

/// Parts messages into history and question; `field` is how the request calls them.
pub(super) fn heard(said: &[Said], field: &str) -> Result<Heard, ApiError> {
    let Some((last, before)) = said.split_last() else {
        return Err(ApiError::invalid("there is no message").about(field));
    };
    let mut history = Vec::new();
    for (index, one) in before.iter().enumerate() {
        history.extend(message(one, &format!("{field}[{index}]"))?);
    }
    let place = format!("{field}[{}]", before.len());
    if last.role.as_deref() != Some("user") {
        let wrong = "the last message must be a user's: it is what is answered";
        return Err(ApiError::invalid(wrong).about(format!("{place}.role")));
    }
    let question = question(last, &place)?;
    if question.text.trim().is_empty() && question.images.is_empty() {
        return Err(ApiError::invalid("the last message says nothing").about(format!("{place}.content")));
    }
    Ok(Heard { history, question })
}

/// One message of the history; nothing for one that says nothing to a model.
fn message(said: &Said, place: &str) -> Result<Option<Message>, ApiError> {
    let text = || text(said, place);
    Ok(Some(match said.role.as_deref() {
        Some("system" | "developer") => Message::system(text()?),
        Some("user") => user(question(said, place)?),
        Some("assistant") => {
            let call = |call: &SaidCall| ToolCall {
                id: call.id.as_str().into(),
                name: call.function.name.clone(),
                arguments: call.function.arguments.clone(),
            };
            let tool_calls = said.tool_calls.iter().flatten().map(call).collect();
            Message::Assistant { text: text()?, reasoning: None, tool_calls }
        }
        Some("tool") => {
            let missing = || ApiError::invalid("it answers no call").about(format!("{place}.tool_call_id"));
            Message::Tool {
                call_id: said.tool_call_id.as_deref().ok_or_else(missing)?.into(),
                name: said.name.clone().unwrap_or_default(),
                content: vec![ContentPart::text(text()?)],
            }
        }
        // What the model thought and which tools it used is the session's own.
        None if said.kind.is_some() => return Ok(None),
        Some(_) | None => {
            let wrong = "a role is system, developer, user, assistant or tool";
            return Err(ApiError::invalid(wrong).about(format!("{place}.role")));
        }
    }))
}

fn user(question: Question) -> Message {
    let image = |image: Image| ContentPart::Image {
        media_type: image.media_type,
        source: ImageSource::Base64(STANDARD.encode(image.bytes)),
    };
    let mut content = vec![ContentPart::text(question.text)];
    content.extend(question.images.into_iter().map(image));
    Message::User { content }
}

fn text(said: &Said, place: &str) -> Result<String, ApiError> {
    Ok(question(said, place)?.text)
}

fn question(said: &Said, place: &str) -> Result<Question, ApiError> {
    let parts = match &said.content {
        None => return Ok(Question::default()),
        Some(Content::Text(text)) => return Ok(Question { text: text.clone(), images: Vec::new() }),
        Some(Content::Parts(parts)) => parts,
    };
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for (index, part) in parts.iter().enumerate() {
        let about = |error: ApiError, field: &str| error.about(format!("{place}.content[{index}].{field}"));
        let lacks =
            |field: &str| about(ApiError::invalid(format!("a part of type {:?} has a {field}", part.kind)), field);
        match part.kind.as_str() {
            "text" | "input_text" | "output_text" => texts.push(part.text.clone().ok_or_else(|| lacks("text"))?),
            "refusal" => texts.extend(part.refusal.clone()),
            "image_url" | "input_image" => {
                let address = match part.image_url.as_ref().ok_or_else(|| lacks("image_url"))? {
                    Address::Bare(url) | Address::Object { url } => url,
                };
                images.push(image(address).map_err(|error| about(error, "image_url"))?);
            }
            other => {
                let wrong = format!("parts of type {other:?} are not understood: text and images are");
                return Err(about(ApiError::invalid(wrong), "type"));
            }
        }
    }
    Ok(Question { text: texts.join("\n"), images })
}

fn image(url: &str) -> Result<Image, ApiError> {
    let Some(data) = url.strip_prefix("data:") else {
        let wrong = "images are not fetched: send one inside the request, as data:image/png;base64,…";
        return Err(ApiError::invalid(wrong));
    };
    let Some((media_type, encoded)) = data.split_once(";base64,") else {
        return Err(ApiError::invalid("an image is written as data:image/png;base64,…"));
    };
    let media_type = media_type.to_ascii_lowercase();
    if !IMAGES.contains(&media_type.as_str()) {
        return Err(ApiError::invalid(format!("an image is one of {}", IMAGES.join(", "))));
    }
    let bytes = STANDARD.decode(encoded.trim()).map_err(|error| ApiError::invalid(format!("no base64: {error}")))?;
    Ok(Image { media_type, bytes })
}

impl Heard {
    /// The same without images.
    pub(super) fn words(&self) -> Words {
        let mut messages: Vec<_> = self.history.iter().map(without_images).collect();
        messages.push(Message::user(self.question.text.clone()));
        Words { messages }
    }
}

fn without_images(message: &Message) -> Message {
    match message {
        Message::User { .. } => Message::user(message.text()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use hermes_proto::message::Message;
    use serde_json::{Value, json};

    use super::{Heard, Image, heard};

    fn read(messages: &Value) -> Result<Heard, super::ApiError> {
        heard(&serde_json::from_value::<Vec<super::Said>>(messages.clone()).unwrap(), "messages")
    }

    #[test]
    fn history_and_question_are_told_apart() {
        let heard = read(&json!([
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
            {"role": "assistant", "content": "hi", "annotations": []},
            {"role": "user", "content": [
                {"type": "text", "text": "what is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AQI=", "detail": "low"}},
            ]},
        ]))
        .unwrap();
        assert_eq!(heard.history[..2], [Message::system("be kind"), Message::user("a\nb")]);
        assert_eq!((heard.history[2].tool_calls().len(), heard.history[3].text().as_str()), (1, "done"));
        assert_eq!(heard.question.text, "what is this?");
        assert_eq!(heard.question.images, [Image { media_type: "image/png".to_owned(), bytes: vec![1, 2] }]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let parts = |part: Value| json!([{"role": "user", "content": [part]}]);
        for (messages, param) in [
            (json!([]), "messages"),
            (json!([{"role": "assistant", "content": "x"}]), "messages[0].role"),
            (json!([{"role": "user", "content": " "}]), "messages[0].content"),
            (json!([{"role": "king", "content": "x"}, {"role": "user", "content": "x"}]), "messages[0].role"),
            (json!([{"role": "tool", "content": "x"}, {"role": "user", "content": "x"}]), "messages[0].tool_call_id"),
            (parts(json!({"type": "text"})), "messages[0].content[0].text"),
            (parts(json!({"type": "input_audio"})), "messages[0].content[0].type"),
            (parts(json!({"type": "image_url", "image_url": "http://10.0.0.1/"})), "messages[0].content[0].image_url"),
            (
                parts(json!({"type": "image_url", "image_url": "file:///etc/passwd"})),
                "messages[0].content[0].image_url",
            ),
            (
                parts(json!({"type": "image_url", "image_url": "data:text/html;base64,AA=="})),
                "messages[0].content[0].image_url",
            ),
            (
                parts(json!({"type": "image_url", "image_url": "data:image/png;base64,?"})),
                "messages[0].content[0].image_url",
            ),
        ] {
            assert_eq!(read(&messages).unwrap_err().to_json()["error"]["param"], param, "{messages}");
        }
    }
}
