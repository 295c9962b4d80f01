//! What comes back while a model answers.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use hermes_proto::message::{Message, ToolCallId, Usage};

use crate::ModelError;

/// One step of an answer. An answer ends with [`Event::Finished`] or with an error; nothing comes after either.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More of the answer's text. Never empty.
    Text(String),
    /// More of what the model thinks. Never empty.
    Reasoning(String),
    /// A tool call begins. Calls count from zero.
    ToolCallStarted { index: usize, id: ToolCallId, name: String },
    /// More of a call's arguments, which are JSON text once they are complete.
    ToolCallArguments { index: usize, delta: String },
    /// What the request cost so far; a later one replaces it.
    Usage(Usage),
    /// The request failed and is made again, after `wait`, to `model`. All events before this one are void: the answer starts
    /// from its beginning.
    Restarted { because: String, wait: Duration, model: ModelId },
    /// The answer is complete.
    Finished(Finished),
}

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub reason: FinishReason,
    /// Always [`Message::Assistant`], as it is stored and sent back in the next request.
    pub message: Message,
    pub usage: Usage,
    /// Who answered; not the model that was asked first if that one failed.
    pub model: ModelId,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishReason {
    /// All is said.
    Stop,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// There was no room for more. The last tool call's arguments may be cut off.
    Length,
    /// The provider's content policy cut the answer off.
    ContentFilter,
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelId {
    pub provider: String,
    pub model: String,
}

impl ModelId {
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self { provider: provider.into(), model: model.into() }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.model)
    }
}

/// The events of one answer. Dropping it drops the connection.
pub struct EventStream<'a>(Pin<Box<dyn Stream<Item = Result<Event, ModelError>> + Send + 'a>>);

impl<'a> EventStream<'a> {
    pub fn new(events: impl Stream<Item = Result<Event, ModelError>> + Send + 'a) -> Self {
        Self(Box::pin(events))
    }

    /// The next event; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<Event, ModelError>> {
        std::future::poll_fn(|context| self.0.as_mut().poll_next(context)).await
    }

    /// Waits for the complete answer.
    pub async fn finished(mut self) -> Result<Finished, ModelError> {
        while let Some(event) = self.next().await {
            if let Event::Finished(finished) = event? {
                return Ok(finished);
            }
        }
        Err(ModelError::CutOff)
    }
}

impl Stream for EventStream<'_> {
    type Item = Result<Event, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl fmt::Debug for EventStream<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EventStream")
    }
}
