//! `POST /api/sessions/{id}/fork`.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use hermes_store::sessions::NewSession;
use serde_json::Value;

use super::super::body::JsonBody;
use super::super::error::ApiError;
use super::super::incoming::Caller;
use super::super::state::ApiState;
use super::{Named, in_sessions, named_session, new_session, own, title};

pub(super) async fn fork(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(named): JsonBody<Named>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let from = own(&state, &caller, &id).await?;
    let title = title(named.title.as_deref())?;
    let new = NewSession { model: from.model, ..new_session(&state, &caller)? };
    let fork = in_sessions(&state, move |sessions| sessions.fork(&from.id, &new)).await?;
    named_session(&state, fork, title).await
}
