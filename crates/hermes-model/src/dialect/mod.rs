//! The two APIs that models are served by: how a request is written in each, and how an answer is read.

mod answer;
pub(crate) mod chat_completions;
pub(crate) mod messages;
mod wire;

use serde_json::{Map, Value as Json};

use crate::{Event, FinishReason, ModelId, Request, ToolSchema};
pub(crate) use answer::Answer;

/// An API's dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's chat completions, which most servers speak.
    ChatCompletions,
    /// Anthropic's messages.
    AnthropicMessages,
}

impl Dialect {
    /// Its name in `api_mode`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat_completions",
            Self::AnthropicMessages => "anthropic_messages",
        }
    }

    /// The path of requests below the base address.
    pub(crate) fn path(self, base: &str) -> &'static str {
        match self {
            Self::ChatCompletions => "/chat/completions",
            Self::AnthropicMessages if base.ends_with("/v1") => "/messages",
            Self::AnthropicMessages => "/v1/messages",
        }
    }
}

/// What a request is written for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) model: &'a ModelId,
    pub(crate) host: &'a str,
    /// Used where the request does not say.
    pub(crate) max_tokens: Option<u64>,
}

impl Target<'_> {
    fn is_at(&self, domain: &str) -> bool {
        self.host == domain || self.host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
    }
}

/// The body of a request, without its tools. Images have been read already.
pub(crate) fn encode(dialect: Dialect, request: &Request, target: Target<'_>) -> Map<String, Json> {
    match dialect {
        Dialect::ChatCompletions => chat_completions::encode(request, target),
        Dialect::AnthropicMessages => messages::encode(request, target),
    }
}

/// The tools of a request.
pub(crate) fn encode_tools(dialect: Dialect, tools: &[ToolSchema]) -> Vec<Json> {
    match dialect {
        Dialect::ChatCompletions => chat_completions::encode_tools(tools),
        Dialect::AnthropicMessages => messages::encode_tools(tools),
    }
}

/// What is wrong with an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The server tells an error in the middle; this is the body of it.
    Told(String),
    Malformed(String),
    /// It ended before it was complete.
    CutOff,
}

/// Reads an answer event by event.
pub(crate) trait Decode: Send {
    /// Takes one event; answers what it adds.
    fn event(&mut self, name: &str, data: &str) -> Result<Vec<Event>, Wrong>;

    /// Takes an answer that came as one document although a stream was asked for.
    fn document(&mut self, body: &str) -> Result<Vec<Event>, Wrong>;

    /// Whether the answer is over, even if something may follow.
    fn is_complete(&self) -> bool;

    /// Whether nothing follows.
    fn is_done(&self) -> bool;

    /// What is left to tell at the end of the stream, and the answer.
    fn end(&mut self) -> Result<(Vec<Event>, FinishReason, Answer), Wrong>;
}

/// A reader for one answer. Calls without an id get one made of `seed`.
pub(crate) fn decoder(dialect: Dialect, model: &ModelId, seed: u64) -> Box<dyn Decode> {
    match dialect {
        Dialect::ChatCompletions => Box::new(chat_completions::Decoder::new(model, seed)),
        Dialect::AnthropicMessages => Box::new(messages::Decoder::new(model, seed)),
    }
}
