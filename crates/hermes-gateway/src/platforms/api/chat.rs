//! `POST /v1/chat/completions`.
//!
//! The messages of the request are the whole conversation, unless `X-Hermes-Session-Id` names a session to go on with: then only the last
//! one is new. The agent uses its own tools; `tools` of the request are not called, and what the agent does is told by events
//! `hermes.tool.progress`. Any `model` is accepted and means the agent.

use std::convert::Infallible;

use axum::extract::State;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures_core::Stream;
use hermes_agent::SessionId;
use hermes_store::Time;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::asking::{Answered, Asking, Next};
use super::body::JsonBody;
use super::events::{data, named, stream};
use super::feed::Seen;
use super::incoming::{Caller, Conversation, tell_session};
use super::said::{Heard, Said, heard};
use super::state::ApiState;
use super::{attached, error::ApiError, usage};
use crate::{Continuing, Incoming};

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route("/v1/chat/completions", post(complete))
}

#[derive(Debug, Deserialize)]
struct Request {
    #[serde(default)]
    model: Option<String>,
    messages: Vec<Said>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

/// What all parts of one answer share.
#[derive(Debug)]
struct Completion {
    id: String,
    created: i64,
    model: String,
    /// Whether a stream ends with the usage.
    includes_usage: bool,
}

async fn complete(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(request): JsonBody<Request>,
) -> Result<Response, ApiError> {
    let heard = heard(&request.messages, "messages")?;
    let options = request.stream_options.and_then(|options| options.include_usage);
    let completion = Completion {
        id: format!("chatcmpl-{}", Uuid::now_v7().simple()),
        created: Time::now().microseconds() / 1_000_000,
        model: request.model.unwrap_or_else(|| state.settings().model_name.clone()),
        includes_usage: options.unwrap_or(false),
    };
    let place = state.place()?;
    let incoming = incoming(&state, &caller, heard).await?;
    let asking = Asking::begin(&state, place, incoming).await?;
    if request.stream.unwrap_or(false) {
        return stream(&caller, asking, |asking| completion.events(asking)).await;
    }
    let answered = asking.answer().await?;
    let mut response = Json(completion.whole(&answered)).into_response();
    tell_session(response.headers_mut(), &caller, answered.session.as_ref().map(SessionId::as_str));
    Ok(response)
}

async fn incoming(state: &ApiState, caller: &Caller, heard: Heard) -> Result<Incoming, ApiError> {
    let (conversation, continuing) = match &caller.session {
        Some(id) => (Conversation::of_session(state, caller, id).await?, Continuing::Session(id.clone())),
        None => (Conversation::of(caller)?, Continuing::Fresh(heard.history)),
    };
    let attachments = attached::keep(state, heard.question.images).await?;
    conversation.incoming_with(state, heard.question.text, attachments, continuing)
}

impl Completion {
    fn whole(&self, answered: &Answered) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": answered.text(), "refusal": null},
                "logprobs": null,
                "finish_reason": answered.finish_reason(),
            }],
            "usage": usage::of_completion(&answered.end.usage),
        })
    }

    fn chunk(&self, choices: &Value) -> Value {
        let mut chunk = json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        });
        if self.includes_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn delta(&self, delta: &Value) -> Value {
        self.chunk(&json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}]))
    }

    /// A chunk without choices, so that clients who do not know the event's name see nothing new.
    fn progress(&self, progress: Value) -> Value {
        let mut chunk = self.chunk(&json!([]));
        if let (Value::Object(chunk), Value::Object(progress)) = (&mut chunk, progress) {
            chunk.extend(progress);
        }
        chunk
    }

    fn events(self, mut asking: Asking) -> impl Stream<Item = Result<Event, Infallible>> + Send + 'static {
        async_stream::stream! {
            yield data(&self.delta(&json!({"role": "assistant", "content": ""})));
            let mut has_spoken = false;
            let outcome = loop {
                match asking.next().await {
                    Next::Seen(Seen::Text(text)) => {
                        has_spoken = true;
                        yield data(&self.delta(&json!({"content": text})));
                    }
                    Next::Seen(Seen::Tool(progress)) => {
                        yield named("hermes.tool.progress", &self.progress(progress));
                    }
                    Next::Ended(outcome) => break *outcome,
                }
            };
            let answered = match outcome {
                Ok(answered) => answered,
                Err(error) => {
                    yield data(&error.to_json());
                    return;
                }
            };
            if let Some(rest) = answered.unsaid(has_spoken) {
                yield data(&self.delta(&json!({"content": rest})));
            }
            let finish = answered.finish_reason();
            yield data(&self.chunk(&json!([{"index": 0, "delta": {}, "logprobs": null, "finish_reason": finish}])));
            if self.includes_usage {
                let mut last = self.chunk(&json!([]));
                last["usage"] = usage::of_completion(&answered.end.usage);
                yield data(&last);
            }
            yield Ok(Event::default().data("[DONE]"));
        }
    }
}
