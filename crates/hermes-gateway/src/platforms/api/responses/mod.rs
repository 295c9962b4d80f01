//! `/v1/responses`: answers that are kept, and conversations that go on from them.
//!
//! An answer belongs to the `X-Hermes-Session-Key` under which it was made; under any other one it does not exist. Whoever first goes on
//! from an answer goes on with its session. Whoever comes later, or brings new instructions, gets a new session that begins with
//! what was said up to that answer: two of them never mix.

mod create;
mod events;
mod object;
mod previous;
mod request;

use axum::extract::{Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use hermes_store::responses::Responses;
use serde_json::{Value, json};

use super::error::ApiError;
use super::incoming::Caller;
use super::state::ApiState;

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route("/v1/responses", post(create::create)).route("/v1/responses/{id}", get(show).delete(remove))
}

fn missing() -> ApiError {
    ApiError::not_found("response")
}

async fn show(State(state): State<ApiState>, caller: Caller, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let scope = caller.scope().to_owned();
    let found = state.in_store(move |store| Responses::open(store).find(&scope, &id)).await?;
    let body = found.ok_or_else(missing)?.body;
    let body = serde_json::from_str(&body).map_err(|error| ApiError::internal("a response cannot be read", &error))?;
    Ok(Json(body))
}

async fn remove(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let (scope, asked) = (caller.scope().to_owned(), id.clone());
    let was_there = state.in_store(move |store| Responses::open(store).remove(&scope, &asked)).await?;
    if was_there { Ok(Json(json!({"id": id, "object": "response", "deleted": true}))) } else { Err(missing()) }
}
