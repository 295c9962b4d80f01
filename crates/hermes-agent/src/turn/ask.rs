//! One question to the model: the stream is passed on as it comes, and dropped when the turn has to stop.

use std::sync::Arc;

use hermes_model::{Event, Finished, ModelError, Request};
use hermes_proto::message::{Message, Usage};
use hermes_proto::turn::TurnContext;

use super::EndReason;
use super::stop::stopping;
use crate::agent::Audience;
use crate::event::TurnEvent;
use crate::session::Session;

/// What came of asking.
#[derive(Debug)]
pub(super) enum Asked {
    Finished(Finished),
    /// The turn had to stop; `text` is what had come by then.
    Stopped {
        text: String,
        usage: Usage,
        reason: EndReason,
    },
}

/// Whether the model may use tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    Tools,
    /// It shall answer in words.
    Words,
}

/// The request as the conversation stands, with a remark at its end that is not kept.
pub(super) fn request(session: &Session, offer: Offer, remark: Option<&str>) -> Request {
    let mut messages = Vec::with_capacity(session.messages().len() + 2);
    messages.push(Message::system(session.prompt()));
    messages.extend_from_slice(session.messages());
    messages.extend(remark.map(Message::user));
    let tools = match offer {
        Offer::Tools => session.tools().schemas(),
        Offer::Words => Arc::default(),
    };
    Request { tools, ..Request::new(messages) }
}

/// Asks, and shows the answer as it comes.
pub(super) async fn ask(
    session: &Session,
    request: &Request,
    turn: &TurnContext,
    audience: &Audience,
) -> Result<Asked, ModelError> {
    let mut stream = session.model().stream(request, turn.cancellation());
    let mut so_far = SoFar::default();
    loop {
        let event = tokio::select! {
            biased;
            reason = stopping(turn) => return Ok(so_far.stopped(reason)),
            event = stream.next() => event,
        };
        match event {
            None => return Err(ModelError::CutOff),
            Some(Err(ModelError::Cancelled)) if turn.cancellation().is_cancelled() => {
                return Ok(so_far.stopped(EndReason::Interrupted));
            }
            Some(Err(error)) => return Err(error),
            Some(Ok(Event::Finished(finished))) => return Ok(Asked::Finished(finished)),
            Some(Ok(event)) => so_far.take(event, audience),
        }
    }
}

/// What has come of an answer.
#[derive(Debug, Default)]
struct SoFar {
    text: String,
    usage: Usage,
}

impl SoFar {
    fn take(&mut self, event: Event, audience: &Audience) {
        match event {
            Event::Text(delta) => {
                self.text.push_str(&delta);
                audience.observer.saw(TurnEvent::Text { delta });
            }
            Event::Reasoning(delta) => audience.observer.saw(TurnEvent::Reasoning { delta }),
            Event::Usage(usage) => self.usage = usage,
            Event::Restarted { because, .. } => {
                self.text.clear();
                audience.observer.saw(TurnEvent::Restarted { reason: because });
            }
            // A call is shown when it runs, and the complete answer holds it.
            Event::ToolCallStarted { .. } | Event::ToolCallArguments { .. } | Event::Finished(_) => {}
        }
    }

    fn stopped(self, reason: EndReason) -> Asked {
        Asked::Stopped { text: self.text, usage: self.usage, reason }
    }
}
