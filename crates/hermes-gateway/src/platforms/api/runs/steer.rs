//! Telling a running run something.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::super::body::JsonBody;
use super::super::error::ApiError;
use super::super::incoming::Caller;
use super::super::state::ApiState;
use super::find;
use crate::Steered;

/// Bytes of a remark.
const LONGEST: usize = 64 * 1024;

/// The body of `POST /v1/runs/{id}/steer`.
#[derive(Debug, Deserialize)]
pub(super) struct Remark {
    text: String,
}

pub(super) async fn steer(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(remark): JsonBody<Remark>,
) -> Result<Response, ApiError> {
    let found = find(&state, &caller, &id).await?;
    if remark.text.trim().is_empty() {
        return Err(ApiError::invalid("the text is empty").about("text"));
    }
    if remark.text.len() > LONGEST {
        return Err(ApiError::too_large(format!("a remark has at most {LONGEST} bytes")).about("text"));
    }
    let run = found.under_way()?;
    let whom = Steered::WorkingOn(run.id.clone());
    if state.inbox.steer(&run.key, whom, remark.text).await {
        Ok(Json(run.view().to_json()).into_response())
    } else {
        Err(ApiError::conflict("the run takes no remark now"))
    }
}
