//! What a model is asked: the conversation, the tools it may use and how it shall answer.
//!
//! Which model is asked is not part of it: a request may be passed on to another model when the first one fails, and has to
//! mean the same there.

use std::sync::Arc;

use hermes_proto::message::Message;
use serde_json::Value as Json;

/// One request, the same for every provider.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The conversation so far. System messages may stand anywhere; each tool call has its result before the next answer.
    pub messages: Vec<Message>,
    /// The tools the model may call; none for a plain answer.
    pub tools: Arc<[ToolSchema]>,
    /// Tokens the answer may have; the model's configuration or the provider decides if it is not said.
    pub max_tokens: Option<u64>,
    pub temperature: Option<f64>,
    /// How much the model shall think; the provider decides if it is not said.
    pub effort: Option<Effort>,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSchema {
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Json,
}

/// How much a model shall think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
}

impl Effort {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Request {
    /// A request without tools.
    pub fn new(messages: Vec<Message>) -> Self {
        Self { messages, ..Self::default() }
    }

    /// Whether a tool of this name is offered.
    pub fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|offered| offered.name == tool)
    }
}
