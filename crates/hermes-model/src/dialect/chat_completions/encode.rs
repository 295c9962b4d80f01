//! Writing a request as a chat completion.

use hermes_proto::message::{ContentPart, ImageSource, Message, Reasoning, ToolCall};
use serde_json::{Map, Value as Json, json};

use super::super::{Target, wire};
use crate::{Effort, Request, ToolSchema};

/// The body of the request, without its tools.
pub(crate) fn encode(request: &Request, target: Target<'_>) -> Map<String, Json> {
    let mut body = Map::new();
    let mut put = |name: &str, value: Json| body.insert(name.to_owned(), value);
    put("model", target.model.model.as_str().into());
    let mut messages = Encoder { target }.messages(&request.messages);
    if target.is_at("openrouter.ai") && target.model.model.contains("claude") {
        mark_for_cache(&mut messages);
    }
    put("messages", messages.into());
    if let Some(most) = request.max_tokens.or(target.max_tokens) {
        // OpenAI's own models refuse the old name, most other servers know no other.
        let is_openai = target.is_at("api.openai.com") || target.is_at("openai.azure.com");
        put(if is_openai { "max_completion_tokens" } else { "max_tokens" }, most.into());
    }
    if let Some(temperature) = request.temperature {
        put("temperature", temperature.into());
    }
    if let Some(effort) = request.effort {
        let (name, value) = wanted_effort(effort, target);
        put(name, value);
    }
    put("stream", true.into());
    put("stream_options", json!({"include_usage": true}));
    body
}

/// The tools of the request.
pub(crate) fn encode_tools(tools: &[ToolSchema]) -> Vec<Json> {
    tools.iter().map(tool).collect()
}

fn tool(tool: &ToolSchema) -> Json {
    let mut encoded = json!({"type": "function", "function": {"name": tool.name, "description": tool.description}});
    encoded["function"]["parameters"] = tool.parameters.clone();
    encoded
}

/// Claude behind OpenRouter caches only what is marked: the system prompt and the last two messages of the user. Everybody
/// else caches by themselves.
fn mark_for_cache(messages: &mut [Json]) {
    let system = messages.iter().position(|message| message["role"] == "system");
    let users = (0..messages.len()).rev().filter(|place| messages[*place]["role"] == "user").take(2);
    let places: Vec<usize> = system.into_iter().chain(users).collect();
    for place in places {
        let content = &mut messages[place]["content"];
        if let Some(text) = content.as_str() {
            *content = json!([{"type": "text", "text": text}]);
        }
        let mut parts = content.as_array_mut().into_iter().flatten();
        if let Some(last) = parts.rfind(|part| part["type"] == "text" && part["text"] != "") {
            last["cache_control"] = json!({"type": "ephemeral"});
        }
    }
}

fn wanted_effort(effort: Effort, target: Target<'_>) -> (&'static str, Json) {
    if target.is_at("openrouter.ai") || target.is_at("nousresearch.com") {
        return ("reasoning", json!({"effort": effort.as_str()}));
    }
    ("reasoning_effort", effort.as_str().into())
}

struct Encoder<'a> {
    target: Target<'a>,
}

impl Encoder<'_> {
    fn messages(&self, messages: &[Message]) -> Vec<Json> {
        let mut encoded = Vec::new();
        // Results hold text only here; their images follow after the last of the results.
        let mut images = Vec::new();
        for message in messages {
            if !matches!(message, Message::Tool { .. }) {
                encoded.extend(shown_by_tools(&mut images));
            }
            match message {
                Message::System { text } => encoded.push(json!({"role": "system", "content": text})),
                Message::User { content } => encoded.push(json!({"role": "user", "content": parts(content)})),
                Message::Assistant { text, reasoning, tool_calls } => {
                    encoded.push(self.assistant(text, reasoning.as_ref(), tool_calls));
                }
                Message::Tool { call_id, content, .. } => {
                    images.extend(content.iter().filter_map(image));
                    let id = self.id(call_id.as_str());
                    encoded.push(json!({"role": "tool", "tool_call_id": id, "content": message.text()}));
                }
            }
        }
        encoded.extend(shown_by_tools(&mut images));
        encoded
    }

    fn assistant(&self, text: &str, reasoning: Option<&Reasoning>, calls: &[ToolCall]) -> Json {
        let content = if text.is_empty() && !calls.is_empty() { Json::Null } else { text.into() };
        let mut message = json!({"role": "assistant", "content": content});
        if !calls.is_empty() {
            message["tool_calls"] = calls.iter().map(|call| self.call(call)).collect();
        }
        if let Some(mut replay) = wire::replay(reasoning, self.target.model) {
            match replay.get("field").and_then(Json::as_str) {
                Some(field) => message[field] = reasoning.map(|reasoning| reasoning.text.as_str()).into(),
                None => message["reasoning_details"] = replay["reasoning_details"].take(),
            }
        }
        message
    }

    fn call(&self, call: &ToolCall) -> Json {
        let arguments = wire::arguments(&call.arguments).to_string();
        let function = json!({"name": wire::name(&call.name), "arguments": arguments});
        json!({"id": self.id(call.id.as_str()), "type": "function", "function": function})
    }

    fn id(&self, id: &str) -> String {
        if self.target.is_at("api.mistral.ai") { wire::short_id(id) } else { wire::id(id) }
    }
}

/// A plain text where there is nothing but text: many servers know nothing else.
fn parts(content: &[ContentPart]) -> Json {
    if content.iter().all(|part| !matches!(part, ContentPart::Image { .. })) {
        return content.iter().filter_map(ContentPart::as_text).collect::<Vec<_>>().join("\n").into();
    }
    let part = |part: &ContentPart| match part {
        ContentPart::Text { text } => Some(json!({"type": "text", "text": text})),
        ContentPart::Image { .. } => image(part),
        ContentPart::Unknown => None,
    };
    content.iter().filter_map(part).collect()
}

fn image(part: &ContentPart) -> Option<Json> {
    match part {
        ContentPart::Image { media_type, source: ImageSource::Base64(data) } => {
            Some(json!({"type": "image_url", "image_url": {"url": format!("data:{media_type};base64,{data}")}}))
        }
        // A path has been read before; what is left of them could not be.
        _ => None,
    }
}

fn shown_by_tools(images: &mut Vec<Json>) -> Option<Json> {
    if images.is_empty() {
        return None;
    }
    let mut content = vec![json!({"type": "text", "text": "What the tools above showed:"})];
    content.append(images);
    Some(json!({"role": "user", "content": content}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModelId;

    fn body(host: &str, model: &str, messages: Vec<Message>) -> Json {
        let request = Request { max_tokens: Some(5), effort: Some(Effort::Low), ..Request::new(messages) };
        let model = ModelId::new("p", model);
        Json::Object(encode(&request, Target { model: &model, host, max_tokens: None }))
    }

    #[test]
    fn claude_behind_openrouter_is_told_what_to_cache() {
        let messages =
            || ["a", "b", "c"].map(Message::user).into_iter().chain([Message::system("s")]).collect::<Vec<_>>();
        let marks = |body: &Json| body.to_string().matches("cache_control").count();
        let marked = body("openrouter.ai", "anthropic/claude-x", messages());
        assert_eq!(marks(&marked), 3);
        assert_eq!(marked["messages"][0]["content"], "a");
        assert_eq!(marked["messages"][2]["content"][0]["cache_control"]["type"], "ephemeral");
        assert_eq!(marks(&body("openrouter.ai", "openai/gpt-x", messages())), 0);
        assert_eq!(marks(&body("evil-openrouter.ai", "anthropic/claude-x", messages())), 0);
    }

    #[test]
    fn each_host_gets_the_names_it_knows() {
        for (host, limit, effort) in [
            ("api.openai.com", "max_completion_tokens", "reasoning_effort"),
            ("my.openai.azure.com", "max_completion_tokens", "reasoning_effort"),
            ("openrouter.ai", "max_tokens", "reasoning"),
            ("127.0.0.1", "max_tokens", "reasoning_effort"),
        ] {
            let body = body(host, "m", vec![Message::user("x")]);
            assert!(body.get(limit).is_some() && body.get(effort).is_some(), "{host}: {body}");
        }
    }
}
