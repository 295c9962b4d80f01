//! Reading Anthropic's messages: a stream of events about blocks, or one document.

use std::collections::BTreeMap;

use hermes_proto::message::{ToolCall, ToolCallId, Usage};
use serde_json::{Value as Json, json};

use super::super::{Answer, Decode, Wrong, wire};
use crate::{Event, FinishReason, ModelId};

/// Blocks one answer may have; a server that sends more is broken.
const MOST_BLOCKS: usize = 1024;

/// One block of an answer.
#[derive(Debug)]
enum Block {
    Text,
    /// A thought, as it has to be sent back.
    Thought(Json),
    /// The place of the call among the calls.
    Call(usize),
    Other,
}

/// Reads one answer.
#[derive(Debug)]
pub(crate) struct Decoder {
    model: ModelId,
    answer: Answer,
    blocks: BTreeMap<u64, Block>,
    reason: Option<String>,
    is_done: bool,
    seed: u64,
}

impl Decoder {
    pub(crate) fn new(model: &ModelId, seed: u64) -> Self {
        let (answer, blocks) = (Answer::default(), BTreeMap::new());
        Self { model: model.clone(), answer, blocks, reason: None, is_done: false, seed }
    }

    fn begin_block(&mut self, event: &Json) -> Result<Vec<Event>, Wrong> {
        if self.blocks.len() >= MOST_BLOCKS {
            return Err(Wrong::Malformed("more blocks than anybody wants".to_owned()));
        }
        let index = event["index"].as_u64().unwrap_or(self.blocks.len() as u64);
        let block = &event["content_block"];
        let mut events = Vec::new();
        let begun = match block["type"].as_str() {
            Some("text") => {
                events.extend(self.answer.text(text(block, "text")));
                Block::Text
            }
            Some("thinking" | "redacted_thinking") => {
                events.extend(self.answer.reasoning(text(block, "thinking")));
                Block::Thought(block.clone())
            }
            Some("tool_use") => Block::Call(self.begin_call(block, &mut events)),
            _ => Block::Other,
        };
        self.blocks.insert(index, begun);
        Ok(events)
    }

    fn begin_call(&mut self, block: &Json, events: &mut Vec<Event>) -> usize {
        let place = self.answer.calls.len();
        let is_taken = |id: &str| self.answer.calls.iter().any(|call| call.id.as_str() == id);
        let id = match text(block, "id") {
            id if id.is_empty() || is_taken(id) => wire::made_up_id(self.seed, place),
            id => id.to_owned(),
        };
        let name = text(block, "name").to_owned();
        // An input that is there at once: relays that do not stream calls send it like this.
        let whole = block["input"].as_object().filter(|input| !input.is_empty());
        let arguments = whole.map(|_| block["input"].to_string()).unwrap_or_default();
        let id = ToolCallId::from(id);
        events.push(Event::ToolCallStarted { index: place, id: id.clone(), name: name.clone() });
        if !arguments.is_empty() {
            events.push(Event::ToolCallArguments { index: place, delta: arguments.clone() });
        }
        self.answer.calls.push(ToolCall { id, name, arguments });
        place
    }

    fn delta(&mut self, event: &Json) -> Vec<Event> {
        let delta = &event["delta"];
        let block = event["index"].as_u64().and_then(|index| self.blocks.get_mut(&index));
        let told = match (delta["type"].as_str(), block) {
            (Some("text_delta"), _) => self.answer.text(text(delta, "text")),
            (Some("thinking_delta"), block) => {
                if let Some(Block::Thought(thought)) = block {
                    append(thought, "thinking", text(delta, "thinking"));
                }
                self.answer.reasoning(text(delta, "thinking"))
            }
            (Some("signature_delta"), Some(Block::Thought(thought))) => {
                append(thought, "signature", text(delta, "signature"));
                None
            }
            (Some("input_json_delta"), Some(Block::Call(place))) => {
                let (place, delta) = (*place, text(delta, "partial_json").to_owned());
                if let Some(call) = self.answer.calls.get_mut(place) {
                    call.arguments.push_str(&delta);
                }
                (!delta.is_empty()).then_some(Event::ToolCallArguments { index: place, delta })
            }
            _ => None,
        };
        told.into_iter().collect()
    }

    fn usage(&mut self, usage: &Json) -> Option<Event> {
        usage.as_object()?;
        let known = self.answer.usage;
        let count = |field: &str| usage[field].as_u64();
        let cached_input = count("cache_read_input_tokens").unwrap_or(known.cached_input);
        let cache_write = count("cache_creation_input_tokens").unwrap_or(known.cache_write);
        // Here tokens from and for the cache are not part of the input.
        let fresh = count("input_tokens")
            .unwrap_or_else(|| known.input.saturating_sub(known.cached_input).saturating_sub(known.cache_write));
        self.answer.usage(Usage {
            input: fresh.saturating_add(cached_input).saturating_add(cache_write),
            output: count("output_tokens").unwrap_or(known.output),
            cached_input,
            cache_write,
            reasoning: known.reasoning,
        })
    }

    fn take(&mut self, event: &Json) -> Result<Vec<Event>, Wrong> {
        match event["type"].as_str() {
            Some("error") => Err(Wrong::Told(event.to_string())),
            Some("message_start") => Ok(self.usage(&event["message"]["usage"]).into_iter().collect()),
            Some("content_block_start") => self.begin_block(event),
            Some("content_block_delta") => Ok(self.delta(event)),
            Some("message_delta") => {
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.reason = Some(reason.to_owned());
                }
                Ok(self.usage(&event["usage"]).into_iter().collect())
            }
            Some("message_stop") => {
                self.is_done = true;
                Ok(Vec::new())
            }
            // ping, content_block_stop, and what is yet to be invented.
            _ if event["error"].is_null() => Ok(Vec::new()),
            _ => Err(Wrong::Told(event.to_string())),
        }
    }

    fn finish_reason(&self) -> Result<FinishReason, Wrong> {
        let has_calls = !self.answer.calls.is_empty();
        match self.reason.as_deref() {
            None if !self.is_done => Err(Wrong::CutOff),
            Some("max_tokens") => Ok(FinishReason::Length),
            // With what is there already the conversation is too long: a fresh request says so.
            Some("model_context_window_exceeded") if self.answer.is_empty() => {
                Err(Wrong::Told(json!({"error": {"message": "context window exceeded"}}).to_string()))
            }
            Some("model_context_window_exceeded") => Ok(FinishReason::Length),
            Some("refusal") => Ok(FinishReason::ContentFilter),
            _ if has_calls => Ok(FinishReason::ToolCalls),
            _ => Ok(FinishReason::Stop),
        }
    }
}

impl Decode for Decoder {
    fn event(&mut self, _name: &str, data: &str) -> Result<Vec<Event>, Wrong> {
        let data = data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(Vec::new());
        }
        let event: Json =
            serde_json::from_str(data).map_err(|error| Wrong::Malformed(format!("an event is no JSON: {error}")))?;
        self.take(&event)
    }

    fn document(&mut self, body: &str) -> Result<Vec<Event>, Wrong> {
        let document: Json =
            serde_json::from_str(body).map_err(|error| Wrong::Malformed(format!("it is no JSON: {error}")))?;
        if document["type"] == "error" || !document["error"].is_null() {
            return Err(Wrong::Told(document.to_string()));
        }
        let Some(content) = document["content"].as_array() else {
            return Err(Wrong::Malformed("it has no content".to_owned()));
        };
        let mut events = Vec::new();
        for (index, block) in content.iter().enumerate() {
            events.extend(self.begin_block(&json!({"index": index, "content_block": block}))?);
        }
        self.reason = document["stop_reason"].as_str().map(str::to_owned);
        events.extend(self.usage(&document["usage"]));
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
        let reason = self.finish_reason()?;
        let thoughts = std::mem::take(&mut self.blocks).into_values().filter_map(|block| match block {
            Block::Thought(thought) if is_signed(&thought) => Some(thought),
            _ => None,
        });
        let thoughts: Vec<Json> = thoughts.collect();
        if !thoughts.is_empty() {
            self.answer.replay = Some(wire::to_replay(&self.model, &thoughts.into()));
        }
        Ok((Vec::new(), reason, std::mem::take(&mut self.answer)))
    }
}

/// A thought without its signature is refused when it is sent back.
fn is_signed(thought: &Json) -> bool {
    thought["type"] == "redacted_thinking" || !text(thought, "signature").is_empty()
}

fn append(thought: &mut Json, field: &str, more: &str) {
    match thought.get_mut(field) {
        Some(Json::String(text)) => text.push_str(more),
        _ => thought[field] = more.into(),
    }
}

fn text<'a>(value: &'a Json, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
