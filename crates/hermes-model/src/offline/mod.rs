//! The model that is built in: it reaches no network and always answers the same.
//!
//! It is there so that the whole machine can be seen working before anybody has a key: tools, sandbox, approvals, transcript.
//! It understands three things: a line `$ command`, a fenced block of Python, and a question about itself. Everything it does
//! follows from the request alone, so a conversation that was interrupted goes on where it was.

mod plan;
mod summary;
mod words;

use async_stream::stream;
use hermes_proto::message::{Message, ToolCall, Usage};
use tokio_util::sync::CancellationToken;

use crate::{Event, EventStream, FinishReason, Finished, Model, ModelError, ModelId, Request};
use plan::{Plan, Task};

/// Its provider's name, as `model.provider` has it.
pub const PROVIDER: &str = "offline";
/// Its name.
pub const NAME: &str = "hermes-offline";

/// The built-in model.
#[derive(Debug, Clone)]
pub struct Offline {
    id: ModelId,
}

impl Default for Offline {
    fn default() -> Self {
        Self { id: ModelId::new(PROVIDER, NAME) }
    }
}

impl Offline {
    pub fn new() -> Self {
        Self::default()
    }

    fn answer(&self, request: &Request) -> Message {
        let last = request.messages.iter().rposition(|message| matches!(message, Message::User { .. }));
        let (question, since) = match last {
            Some(place) => (request.messages[place].text(), &request.messages[place + 1..]),
            None => (String::new(), &[][..]),
        };
        let plan = Plan::of(&question);
        let outcomes = summary::outcomes(since);
        let next = plan.tasks.get(outcomes.len());
        match next {
            Some(_) if outcomes.iter().any(summary::Outcome::is_refused) => {
                let left = plan.tasks.len() - outcomes.len();
                Message::assistant(format!("{}\n\n{}", summary::text(&outcomes), words::stopped(left)))
            }
            Some(task) if request.offers(task.tool()) => call(task, request),
            Some(task) if outcomes.is_empty() => Message::assistant(words::no_tool(task.tool())),
            Some(task) => {
                Message::assistant(format!("{}\n\n{}", summary::text(&outcomes), words::no_tool(task.tool())))
            }
            None if !outcomes.is_empty() => Message::assistant(summary::text(&outcomes)),
            None if plan.is_open => Message::assistant(words::OPEN_FENCE),
            None => Message::assistant(words::answer(&question, request)),
        }
    }
}

/// One call, with an id that no other call of the conversation has.
fn call(task: &Task, request: &Request) -> Message {
    let ids: Vec<&str> = request.messages.iter().flat_map(Message::tool_calls).map(|call| call.id.as_str()).collect();
    let free =
        (request.messages.len()..).map(|number| format!("offline_{number}")).find(|id| !ids.contains(&id.as_str()));
    let call = ToolCall {
        id: free.unwrap_or_default().into(),
        name: task.tool().to_owned(),
        arguments: task.arguments().to_string(),
    };
    Message::Assistant { text: String::new(), reasoning: None, tool_calls: vec![call] }
}

impl Model for Offline {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn context_length(&self) -> Option<u64> {
        None
    }

    fn stream<'a>(&'a self, request: &'a Request, cancellation: &'a CancellationToken) -> EventStream<'a> {
        let message = self.answer(request);
        EventStream::new(stream! {
            for event in events(&message) {
                if cancellation.is_cancelled() {
                    yield Err(ModelError::Cancelled);
                    return;
                }
                yield Ok(event);
            }
            let reason = if message.tool_calls().is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
            yield Ok(Event::Finished(Finished { reason, message, usage: Usage::default(), model: self.id.clone() }));
        })
    }
}

/// The message as a provider would stream it: line by line.
fn events(message: &Message) -> Vec<Event> {
    let text = message.text();
    let mut events: Vec<Event> = text.split_inclusive('\n').map(|line| Event::Text(line.to_owned())).collect();
    for (index, call) in message.tool_calls().iter().enumerate() {
        events.push(Event::ToolCallStarted { index, id: call.id.clone(), name: call.name.clone() });
        events.push(Event::ToolCallArguments { index, delta: call.arguments.clone() });
    }
    events
}

#[cfg(test)]
mod tests;
