//! `POST /api/sessions/{id}/chat` and `…/chat/stream`: one turn of a session, for a caller who waits.

use std::convert::Infallible;
use std::sync::Arc;

use async_stream::stream as streamed;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::super::asking::Asking;
use super::super::body::JsonBody;
use super::super::error::ApiError;
use super::super::incoming::{Caller, Conversation};
use super::super::runs::{LiveRun, Reader, follow_passing, sign_of_life};
use super::super::state::ApiState;
use super::super::usage;
use crate::metrics::end_name;
use crate::{Continuing, Incoming};

/// What is said.
#[derive(Debug, Deserialize)]
pub(super) struct Said {
    #[serde(alias = "input")]
    message: String,
}

pub(super) async fn chat(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Response, ApiError> {
    let incoming = incoming(&state, &caller, &id, said).await?;
    let asking = Asking::begin(&state, state.place()?, incoming).await?;
    let answered = asking.answer().await?;
    let told = json!({
        "object": "hermes.session.chat",
        "session_id": id,
        "output": answered.text(),
        "end_reason": end_name(&answered.end.reason),
        "usage": usage::of_response(&answered.end.usage),
    });
    Ok(Json(told).into_response())
}

pub(super) async fn stream(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Response, ApiError> {
    let incoming = incoming(&state, &caller, &id, said).await?;
    let place = state.place()?;
    let key = state.inbox.key(&incoming)?;
    let run = Arc::new(LiveRun::new(incoming.message.clone(), caller.scope().to_owned(), key));
    let attended = state.inbox.attend(incoming, run.clone()).await?;
    let leaving = run.stop.clone().drop_guard();
    state.parts.board.follow(follow_passing(state.clone(), run.clone(), attended, place));
    let events = streamed! {
        let _leaving = leaving;
        let mut reader = Reader::new(run, 0);
        while let Some(event) = reader.next().await {
            yield Ok::<_, Infallible>(event);
        }
    };
    Ok(Sse::new(events).keep_alive(sign_of_life()).into_response())
}

async fn incoming(state: &ApiState, caller: &Caller, id: &str, said: Said) -> Result<Incoming, ApiError> {
    let conversation = Conversation::of_session(state, caller, id).await?;
    if said.message.trim().is_empty() {
        return Err(ApiError::invalid("the message is empty").about("message"));
    }
    conversation.incoming(state, said.message, Continuing::Session(id.to_owned()))
}
