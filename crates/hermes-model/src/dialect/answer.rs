//! An answer while it grows.

use hermes_proto::message::{Message, Reasoning, ToolCall, Usage};
use serde_json::Value as Json;

use crate::Event;

/// What has come so far.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    text: String,
    reasoning: String,
    /// The provider's own data about its reasoning, to be sent back.
    pub(super) replay: Option<Json>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) usage: Usage,
}

impl Answer {
    /// More text. Nothing is told of nothing.
    pub(super) fn text(&mut self, delta: &str) -> Option<Event> {
        self.text.push_str(delta);
        (!delta.is_empty()).then(|| Event::Text(delta.to_owned()))
    }

    pub(super) fn reasoning(&mut self, delta: &str) -> Option<Event> {
        self.reasoning.push_str(delta);
        (!delta.is_empty()).then(|| Event::Reasoning(delta.to_owned()))
    }

    pub(super) fn usage(&mut self, usage: Usage) -> Option<Event> {
        if usage == self.usage {
            return None;
        }
        self.usage = usage;
        Some(Event::Usage(usage))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    pub(super) fn has_reasoning(&self) -> bool {
        !self.reasoning.is_empty()
    }

    /// The whole, as it is kept.
    pub(crate) fn into_message(self) -> (Message, Usage) {
        let replay = self.replay.map(|replay| replay.to_string());
        let has_reasoning = !self.reasoning.is_empty() || replay.is_some();
        let reasoning = has_reasoning.then_some(Reasoning { text: self.reasoning, replay });
        (Message::Assistant { text: self.text, reasoning, tool_calls: self.calls }, self.usage)
    }
}
