//! A model that says what it is told to, and remembers what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_model::{Event, EventStream, FinishReason, Finished, Model, ModelError, ModelId, Request, Said};
use hermes_proto::message::{Message, ToolCall, Usage};
use tokio_util::sync::CancellationToken;

/// One thing that happens while an answer comes.
#[derive(Debug)]
pub(crate) enum Step {
    Event(Event),
    Fail(ModelError),
    /// Nothing more comes until the request is given up.
    Hang,
}

/// One answer.
pub(crate) type Answer = Vec<Step>;

type Rule = dyn Fn(&Request) -> Answer + Send + Sync;

pub(crate) struct Script {
    id: ModelId,
    context_length: Option<u64>,
    answers: Mutex<VecDeque<Answer>>,
    rule: Option<Box<Rule>>,
    requests: Mutex<Vec<Request>>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Script")
    }
}

pub(crate) fn usage(input: u64, output: u64) -> Usage {
    Usage { input, output, ..Usage::default() }
}

pub(crate) fn finished(message: Message, reason: FinishReason) -> Step {
    let model = ModelId::new("test", "script");
    Step::Event(Event::Finished(Finished { reason, message, usage: usage(10, 5), model }))
}

/// An answer in words, in two pieces.
pub(crate) fn says(text: &str) -> Answer {
    let middle = text.floor_char_boundary(text.len() / 2);
    let pieces = [&text[..middle], &text[middle..]].into_iter().filter(|piece| !piece.is_empty());
    let mut answer: Answer = pieces.map(|piece| Step::Event(Event::Text(piece.to_owned()))).collect();
    answer.push(finished(Message::assistant(text), FinishReason::Stop));
    answer
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.into(), name: name.to_owned(), arguments: arguments.to_owned() }
}

pub(crate) fn asks(calls: &[ToolCall], reason: FinishReason) -> Answer {
    vec![finished(Message::Assistant { text: String::new(), reasoning: None, tool_calls: calls.to_vec() }, reason)]
}

/// An answer that calls tools: (id, name, arguments).
pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> Answer {
    let calls: Vec<ToolCall> = calls.iter().map(|(id, name, arguments)| call(id, name, arguments)).collect();
    asks(&calls, FinishReason::ToolCalls)
}

pub(crate) fn fails(error: ModelError) -> Answer {
    vec![Step::Fail(error)]
}

pub(crate) fn too_long() -> ModelError {
    ModelError::ContextTooLong { model: ModelId::new("test", "script"), said: Said::default() }
}

impl Script {
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Arc<Self> {
        Self::seeing(answers, None)
    }

    pub(crate) fn seeing(answers: impl IntoIterator<Item = Answer>, context_length: Option<u64>) -> Arc<Self> {
        let (answers, requests) = (Mutex::new(answers.into_iter().collect()), Mutex::default());
        Arc::new(Self { id: ModelId::new("test", "script"), context_length, answers, rule: None, requests })
    }

    /// A model whose answer depends on what it is asked.
    pub(crate) fn ruled(rule: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Arc<Self> {
        let (answers, requests) = (Mutex::default(), Mutex::default());
        let id = ModelId::new("test", "rule");
        Arc::new(Self { id, context_length: None, answers, rule: Some(Box::new(rule)), requests })
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    fn answer(&self, request: &Request) -> Answer {
        self.requests.lock().unwrap().push(request.clone());
        if let Some(rule) = &self.rule {
            return rule(request);
        }
        self.answers.lock().unwrap().pop_front().unwrap_or_else(|| says("the script is over"))
    }
}

impl Model for Script {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn context_length(&self) -> Option<u64> {
        self.context_length
    }

    fn stream<'a>(&'a self, request: &'a Request, cancellation: &'a CancellationToken) -> EventStream<'a> {
        let mut steps: VecDeque<Step> = self.answer(request).into();
        EventStream::new(async_stream::stream! {
            while let Some(step) = steps.pop_front() {
                match step {
                    Step::Event(event) => yield Ok(event),
                    Step::Fail(error) => yield Err(error),
                    Step::Hang => {
                        cancellation.cancelled().await;
                        yield Err(ModelError::Cancelled);
                    }
                }
            }
        })
    }
}

/// What a restarted request tells.
pub(crate) fn restarted(because: &str) -> Step {
    let model = ModelId::new("test", "other");
    Step::Event(Event::Restarted { because: because.to_owned(), wait: Duration::ZERO, model })
}

pub(crate) fn text(delta: &str) -> Step {
    Step::Event(Event::Text(delta.to_owned()))
}
