//! Answering a question of a run.
//!
//! An answer names its question: a caller who saw one and answers the next would have allowed what it never read.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use hermes_approval::{Answer, AnswerError, LONGEST_REASON, PromptId};
use serde::Deserialize;

use super::super::body::JsonBody;
use super::super::error::ApiError;
use super::super::incoming::{Caller, caller_id};
use super::super::state::ApiState;
use super::find;
use super::live::Standing;
use super::run::Choice;

/// The body of `POST /v1/runs/{id}/approval`.
#[derive(Debug, Deserialize)]
pub(super) struct Given {
    /// The question's.
    id: String,
    choice: Choice,
    #[serde(default)]
    reason: Option<String>,
}

pub(super) async fn approve(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(given): JsonBody<Given>,
) -> Result<Response, ApiError> {
    let found = find(&state, &caller, &id).await?;
    if given.reason.as_ref().is_some_and(|reason| reason.chars().count() > LONGEST_REASON) {
        let message = format!("a reason has at most {LONGEST_REASON} characters");
        return Err(ApiError::invalid(message).about("reason"));
    }
    let run = found.under_way()?;
    let question = PromptId::parse(&given.id).ok_or_else(missing)?;
    match run.standing(&question) {
        Standing::Open => {}
        Standing::Settled => return Err(settled()),
        Standing::Unknown => return Err(missing()),
    }
    let answer = match given.choice.scope() {
        Some(scope) => Answer::Approve(scope),
        None => Answer::Deny { reason: given.reason },
    };
    match state.inbox.answer(run.key.clone(), &caller_id()?, question, answer).await {
        Ok(_) => Ok(Json(run.view().to_json()).into_response()),
        Err(AnswerError::AlreadySettled(_)) => Err(settled()),
        Err(AnswerError::NotOffered(_)) => Err(ApiError::invalid("this choice was not offered").about("choice")),
        Err(AnswerError::NothingPending | AnswerError::NotAuthorised | AnswerError::UnknownId(_)) => Err(missing()),
    }
}

fn missing() -> ApiError {
    ApiError::not_found("question").about("id")
}

fn settled() -> ApiError {
    ApiError::conflict("the question was settled before").with_code("already_settled")
}
