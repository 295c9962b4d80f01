//! Writing a request as Anthropic's messages.
//!
//! The system prompt stands apart, roles alternate, results are part of what the user says, and no text is empty. The
//! beginning of the conversation is marked for the cache in at most four places: the tools, the system prompt and the last
//! two messages of the user, so that the next request finds what this one wrote.

use hermes_proto::message::{ContentPart, ImageSource, Message};
use serde_json::{Map, Value as Json, json};

use super::super::{Target, wire};
use super::thinking::Thinking;
use crate::{Request, ToolSchema};

/// Messages of the user that are marked.
const MARKED_MESSAGES: usize = 2;

/// The body of the request, without its tools.
pub(crate) fn encode(request: &Request, target: Target<'_>) -> Map<String, Json> {
    let max_tokens = request.max_tokens.or(target.max_tokens).unwrap_or_else(|| usual_tokens(&target.model.model));
    let thinking = Thinking::wanted(request, target, max_tokens);
    let mut body = Map::new();
    let mut put = |name: &str, value: Json| body.insert(name.to_owned(), value);
    put("model", target.model.model.as_str().into());
    put("max_tokens", max_tokens.into());
    if let Some(system) = system(&request.messages) {
        put("system", system);
    }
    put("messages", messages(request, target).into());
    // A thinking model takes no temperature.
    if let (Some(temperature), None) = (request.temperature, &thinking.thinking) {
        put("temperature", temperature.clamp(0.0, 1.0).into());
    }
    if let Some(thinking) = thinking.thinking {
        put("thinking", thinking);
    }
    if let Some(output) = thinking.output {
        put("output_config", output);
    }
    put("stream", true.into());
    body
}

/// What the API wants to be told and nobody said: as much as the model can.
fn usual_tokens(model: &str) -> u64 {
    match () {
        () if model.contains("claude-3-5") => 8192,
        () if model.contains("claude-3-7") => 64_000,
        () if model.contains("claude-3") => 4096,
        () => 32_000,
    }
}

fn system(messages: &[Message]) -> Option<Json> {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System { text } if !text.trim().is_empty() => Some(json!({"type": "text", "text": text})),
        _ => None,
    });
    let mut blocks: Vec<Json> = texts.collect();
    mark(blocks.last_mut()?);
    Some(blocks.into())
}

/// The tools of the request.
pub(crate) fn encode_tools(tools: &[ToolSchema]) -> Vec<Json> {
    let tool = |tool: &ToolSchema| {
        let mut encoded = json!({"name": tool.name, "description": tool.description});
        encoded["input_schema"] = tool.parameters.clone();
        encoded
    };
    let mut encoded: Vec<Json> = tools.iter().map(tool).collect();
    if let Some(last) = encoded.last_mut() {
        mark(last);
    }
    encoded
}

fn messages(request: &Request, target: Target<'_>) -> Vec<Json> {
    let mut turns: Vec<(&str, Vec<Json>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            Message::System { .. } => continue,
            Message::User { content } => ("user", content.iter().filter_map(block).collect()),
            Message::Assistant { .. } => ("assistant", assistant(message, target)),
            Message::Tool { .. } => ("user", vec![result(message)]),
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    // A conversation begins with the user, even after its beginning was cut away.
    if turns.first().is_none_or(|(role, _)| *role != "user") {
        turns.insert(0, ("user", vec![json!({"type": "text", "text": "(continued)"})]));
    }
    results_first(&mut turns);
    let users = turns.iter_mut().rev().filter(|(role, _)| *role == "user").take(MARKED_MESSAGES);
    users.filter_map(|(_, blocks)| blocks.last_mut()).for_each(mark);
    turns.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
}

/// Results have to stand before anything else that is said in the same message.
fn results_first(turns: &mut [(&str, Vec<Json>)]) {
    for (_, blocks) in turns.iter_mut().filter(|(role, _)| *role == "user") {
        blocks.sort_by_key(|block| block["type"] != "tool_result");
    }
}

fn assistant(message: &Message, target: Target<'_>) -> Vec<Json> {
    let Message::Assistant { text, reasoning, tool_calls } = message else { return Vec::new() };
    let mut blocks = match wire::replay(reasoning.as_ref(), target.model) {
        Some(Json::Array(thoughts)) => thoughts,
        _ => Vec::new(),
    };
    // Blanks at the end of an answer are refused.
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text.trim_end()}));
    }
    blocks.extend(tool_calls.iter().map(|call| {
        let (id, name) = (wire::id(call.id.as_str()), wire::name(&call.name));
        json!({"type": "tool_use", "id": id, "name": name, "input": wire::arguments(&call.arguments)})
    }));
    // Thoughts alone are no answer.
    if blocks.iter().all(|block| block["type"] != "text" && block["type"] != "tool_use") { Vec::new() } else { blocks }
}

fn result(message: &Message) -> Json {
    let Message::Tool { call_id, content, .. } = message else { return Json::Null };
    let blocks: Vec<Json> = content.iter().filter_map(block).collect();
    let mut result = json!({"type": "tool_result", "tool_use_id": wire::id(call_id.as_str())});
    if !blocks.is_empty() {
        result["content"] = blocks.into();
    }
    result
}

fn block(part: &ContentPart) -> Option<Json> {
    match part {
        ContentPart::Text { text } if !text.trim().is_empty() => Some(json!({"type": "text", "text": text})),
        ContentPart::Image { media_type, source: ImageSource::Base64(data) } => {
            let source = json!({"type": "base64", "media_type": media_type, "data": data});
            Some(json!({"type": "image", "source": source}))
        }
        // A path has been read before; what is left of them could not be.
        _ => None,
    }
}

fn mark(block: &mut Json) {
    block["cache_control"] = json!({"type": "ephemeral"});
}
