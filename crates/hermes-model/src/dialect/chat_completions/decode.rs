//! Reading a chat completion: a stream of chunks, or one document.

use hermes_proto::message::Usage;
use serde_json::{Value as Json, json};

use super::super::{Answer, Decode, Wrong, wire};
use super::calls::Calls;
use crate::{Event, FinishReason, ModelId};

/// Reads one chat completion.
#[derive(Debug)]
pub(crate) struct Decoder {
    model: ModelId,
    answer: Answer,
    calls: Calls,
    reason: Option<String>,
    /// The field its reasoning came in, under which some servers want it back.
    reasoning_field: Option<&'static str>,
    /// OpenRouter's record of the reasoning, which it wants back as it was.
    details: Vec<Json>,
    is_done: bool,
}

impl Decoder {
    pub(crate) fn new(model: &ModelId, seed: u64) -> Self {
        Self {
            model: model.clone(),
            answer: Answer::default(),
            calls: Calls::new(seed),
            reason: None,
            reasoning_field: None,
            details: Vec::new(),
            is_done: false,
        }
    }

    fn chunk(&mut self, chunk: &Json) -> Result<Vec<Event>, Wrong> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(Wrong::Told(json!({ "error": error }).to_string()));
        }
        let mut events = Vec::new();
        // Only the first choice: more are never asked for.
        if let Some(choice) = chunk.pointer("/choices/0") {
            for part in ["delta", "message"] {
                self.delta(choice.get(part).unwrap_or(&Json::Null), &mut events)?;
            }
            if let Some(reason) = choice.get("finish_reason").and_then(Json::as_str).filter(|text| !text.is_empty()) {
                self.reason = Some(reason.to_owned());
            }
        }
        if let Some(usage) = chunk.get("usage").or(chunk.pointer("/x_groq/usage")).and_then(usage) {
            events.extend(self.answer.usage(usage));
        }
        Ok(events)
    }

    fn delta(&mut self, delta: &Json, events: &mut Vec<Event>) -> Result<(), Wrong> {
        // OpenRouter sends the same thought in two fields.
        let fields = ["reasoning_content", "reasoning"];
        let thought = fields.iter().find_map(|field| Some((*field, delta.get(*field)?.as_str()?)));
        if let Some((field, text)) = thought.filter(|(_, text)| !text.is_empty()) {
            self.reasoning_field = Some(field);
            events.extend(self.answer.reasoning(text));
        }
        if let Some(details) = delta.get("reasoning_details").and_then(Json::as_array) {
            details.iter().for_each(|detail| merge(&mut self.details, detail));
        }
        self.content(delta.get("content").unwrap_or(&Json::Null), events);
        if let Some(refusal) = delta.get("refusal").and_then(Json::as_str) {
            events.extend(self.answer.text(refusal));
        }
        for fragment in delta.get("tool_calls").and_then(Json::as_array).into_iter().flatten() {
            let too_many = |_| Wrong::Malformed("more tool calls than anybody wants".to_owned());
            self.calls.fragment(fragment, events).map_err(too_many)?;
        }
        Ok(())
    }

    /// Text, or the parts that some servers make of it.
    fn content(&mut self, content: &Json, events: &mut Vec<Event>) {
        match content {
            Json::String(text) => events.extend(self.answer.text(text)),
            Json::Array(parts) => {
                for part in parts {
                    match part.get("type").and_then(Json::as_str) {
                        Some("thinking") => events.extend(self.answer.reasoning(&texts(&part["thinking"]))),
                        _ => events.extend(self.answer.text(&texts(&part["text"]))),
                    }
                }
            }
            _ => {}
        }
    }

    fn finish_reason(&self) -> Result<FinishReason, Wrong> {
        let has_calls = !self.answer.calls.is_empty();
        Ok(match self.reason.as_deref() {
            Some("length" | "max_tokens" | "model_length") => FinishReason::Length,
            Some("content_filter" | "refusal" | "safety") => FinishReason::ContentFilter,
            Some("error") => return Err(Wrong::Told(json!({"error": {"message": "no reason given"}}).to_string())),
            Some("insufficient_system_resource") => {
                return Err(Wrong::Told(json!({"error": {"message": "overloaded"}}).to_string()));
            }
            // "stop" with calls, "tool_calls" without: what is there counts.
            Some(_) if has_calls => FinishReason::ToolCalls,
            Some(_) => FinishReason::Stop,
            None if !self.is_done => return Err(Wrong::CutOff),
            None if has_calls => FinishReason::ToolCalls,
            None => FinishReason::Stop,
        })
    }
}

impl Decode for Decoder {
    fn event(&mut self, _name: &str, data: &str) -> Result<Vec<Event>, Wrong> {
        let data = data.trim();
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(Vec::new());
        }
        if data.is_empty() {
            return Ok(Vec::new());
        }
        let chunk: Json =
            serde_json::from_str(data).map_err(|error| Wrong::Malformed(format!("an event is no JSON: {error}")))?;
        self.chunk(&chunk)
    }

    fn document(&mut self, body: &str) -> Result<Vec<Event>, Wrong> {
        let document: Json =
            serde_json::from_str(body).map_err(|error| Wrong::Malformed(format!("it is no JSON: {error}")))?;
        let events = self.chunk(&document)?;
        if document.pointer("/choices/0").is_none() {
            return Err(Wrong::Malformed("it has no choices".to_owned()));
        }
        self.is_done = true;
        Ok(events)
    }

    fn is_complete(&self) -> bool {
        self.reason.is_some()
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn end(&mut self) -> Result<(Vec<Event>, FinishReason, Answer), Wrong> {
        let mut events = Vec::new();
        self.answer.calls = self.calls.finish(&mut events);
        let reason = self.finish_reason()?;
        let replay = match (&self.details[..], self.reasoning_field) {
            ([_, ..], _) => Some(json!({ "reasoning_details": self.details })),
            ([], Some(field)) if self.answer.has_reasoning() => Some(json!({ "field": field })),
            _ => None,
        };
        self.answer.replay = replay.map(|data| wire::to_replay(&self.model, &data));
        Ok((events, reason, std::mem::take(&mut self.answer)))
    }
}

/// The text of a part: itself, or the texts of its own parts.
fn texts(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(parts) => parts.iter().map(|part| texts(&part["text"])).collect(),
        _ => String::new(),
    }
}

/// Adds a piece of OpenRouter's record: pieces with the same index and type belong together.
fn merge(details: &mut Vec<Json>, piece: &Json) {
    let same = |known: &&mut Json| {
        piece.get("index").is_some_and(|index| known.get("index") == Some(index)) && known["type"] == piece["type"]
    };
    let Some(known) = details.iter_mut().rfind(same) else {
        details.push(piece.clone());
        return;
    };
    for (field, value) in piece.as_object().into_iter().flatten() {
        match (known.get_mut(field), value) {
            (Some(Json::String(text)), Json::String(more)) if matches!(field.as_str(), "text" | "summary" | "data") => {
                text.push_str(more);
            }
            (_, Json::Null) => {}
            _ => known[field] = value.clone(),
        }
    }
}

fn usage(value: &Json) -> Option<Usage> {
    value.as_object()?;
    let count = |places: &[&str]| places.iter().find_map(|place| value.pointer(place)?.as_u64()).unwrap_or_default();
    Some(Usage {
        input: count(&["/prompt_tokens", "/input_tokens"]),
        output: count(&["/completion_tokens", "/output_tokens"]),
        cached_input: count(&["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens", "/cached_tokens"]),
        cache_write: count(&["/prompt_tokens_details/cache_write_tokens", "/cache_creation_input_tokens"]),
        reasoning: count(&["/completion_tokens_details/reasoning_tokens", "/reasoning_tokens"]),
    })
}
