//! `GET /api/sessions`.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use hermes_store::sessions::{Keys, Listing};
use serde::Deserialize;
use serde_json::Value;

use super::super::error::ApiError;
use super::super::incoming::Caller;
use super::super::state::ApiState;
use super::object::to_json;
use super::page::Page;
use super::{in_sessions, new_session};

#[derive(Debug, Deserialize)]
pub(super) struct Asked {
    limit: Option<usize>,
    offset: Option<usize>,
    /// Only those that were ended, or only the others.
    ended: Option<bool>,
}

pub(super) async fn list(
    State(state): State<ApiState>,
    caller: Caller,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Result<Json<Value>, ApiError> {
    let Query(asked) = asked.map_err(|error| ApiError::invalid(error.body_text()))?;
    let page = Page::asked(asked.limit, asked.offset)?;
    let listing = Listing {
        source: Some(state.parts.platform.to_string()),
        keys: keys(&state, &caller)?,
        ended: asked.ended,
        limit: page.limit + 1,
        offset: page.offset,
    };
    let sessions = in_sessions(&state, move |sessions| Ok(sessions.list(&listing)?)).await?;
    Ok(Json(page.list(sessions.iter().map(to_json).collect())))
}

/// The conversations of this caller.
fn keys(state: &ApiState, caller: &Caller) -> Result<Keys, ApiError> {
    if let Some(key) = &caller.key {
        return Ok(Keys::Exactly(key.to_string()));
    }
    // All conversations that nobody gave a key differ in their last part only.
    let any = new_session(state, caller)?.key.unwrap_or_default();
    let start = any.rsplit_once(':').map(|(start, _)| format!("{start}:"));
    start.map(Keys::BeginningWith).ok_or_else(|| ApiError::internal("a key has no parts", &any))
}
