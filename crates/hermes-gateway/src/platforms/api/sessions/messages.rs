//! `GET /api/sessions/{id}/messages`.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::Value;

use super::super::error::ApiError;
use super::super::incoming::Caller;
use super::super::state::ApiState;
use super::object::message_json;
use super::page::Page;
use super::{in_sessions, own};

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    limit: Option<usize>,
    offset: Option<usize>,
}

/// Everything that was said, the oldest first; also what summaries stand for now.
pub(super) async fn messages(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let Query(asked) = asked.map_err(|error| ApiError::invalid(error.body_text()))?;
    let page = Page::asked(asked.limit, asked.offset)?;
    let session = own(&state, &caller, &id).await?;
    let stored = in_sessions(&state, move |sessions| sessions.everything(&session.id)).await?;
    let shown = stored.iter().filter_map(message_json).skip(page.offset).take(page.limit + 1);
    Ok(Json(page.list(shown.collect())))
}
