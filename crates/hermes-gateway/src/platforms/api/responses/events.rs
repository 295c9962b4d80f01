//! A response as OpenAI's events, and what tools do in between.

use std::convert::Infallible;

use axum::response::sse::Event;
use futures_core::Stream;
use serde_json::{Value, json};

use super::super::asking::{Asking, Next};
use super::super::error::ApiError;
use super::super::events::named;
use super::super::feed::Seen;
use super::create::Keeping;
use super::object::{Shell, part};

/// Numbers the events of one response.
#[derive(Debug, Default)]
struct Numbered(u64);

impl Numbered {
    fn event(&mut self, name: &str, mut value: Value) -> Result<Event, Infallible> {
        value["type"] = json!(name);
        value["sequence_number"] = json!(self.0);
        self.0 += 1;
        named(name, &value)
    }

    fn failed(&mut self, shell: &Shell, error: &ApiError) -> Result<Event, Infallible> {
        self.event("response.failed", json!({"response": shell.failed(error)}))
    }
}

/// All events, to the last. The answer is on disk before it is said to be complete.
pub(super) fn events(
    mut asking: Asking,
    shell: Shell,
    keeping: Keeping,
) -> impl Stream<Item = Result<Event, Infallible>> + Send + 'static {
    async_stream::stream! {
        let mut number = Numbered::default();
        yield number.event("response.created", json!({"response": shell.in_progress()}));
        yield number.event("response.in_progress", json!({"response": shell.in_progress()}));
        let item = json!({"output_index": 0, "item": shell.item("in_progress", None)});
        yield number.event("response.output_item.added", item);
        let place = |field: &str, value: Value| {
            let mut event = json!({"item_id": shell.message, "output_index": 0, "content_index": 0});
            event[field] = value;
            event
        };
        yield number.event("response.content_part.added", place("part", part("")));
        let delta = |text: &str| {
            let mut event = place("delta", json!(text));
            event["logprobs"] = json!([]);
            event
        };
        let mut text = String::new();
        let outcome = loop {
            match asking.next().await {
                Next::Seen(Seen::Text(more)) => {
                    text.push_str(&more);
                    yield number.event("response.output_text.delta", delta(&more));
                }
                Next::Seen(Seen::Tool(progress)) => yield number.event("hermes.tool.progress", progress),
                Next::Ended(outcome) => break *outcome,
            }
        };
        let answered = match outcome {
            Ok(answered) => answered,
            Err(error) => {
                yield number.failed(&shell, &error);
                return;
            }
        };
        if let Some(rest) = answered.unsaid(!text.is_empty()) {
            text.push_str(&rest);
            yield number.event("response.output_text.delta", delta(&rest));
        }
        let body = shell.answered(&answered, &text);
        if let Err(error) = keeping.keep(&shell, answered.session.as_ref(), &body).await {
            yield number.failed(&shell, &error);
            return;
        }
        let mut done = place("text", json!(text));
        done["logprobs"] = json!([]);
        yield number.event("response.output_text.done", done);
        yield number.event("response.content_part.done", place("part", part(&text)));
        let item = json!({"output_index": 0, "item": body["output"][0]});
        yield number.event("response.output_item.done", item);
        let last = if body["status"] == "completed" { "response.completed" } else { "response.incomplete" };
        yield number.event(last, json!({"response": body}));
    }
}
