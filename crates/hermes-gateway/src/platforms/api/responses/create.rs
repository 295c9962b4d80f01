//! `POST /v1/responses`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use hermes_agent::SessionId;
use hermes_store::responses::{self, Bounds, Responses};
use serde_json::Value;

use super::super::asking::Asking;
use super::super::attached;
use super::super::body::JsonBody;
use super::super::error::ApiError;
use super::super::events::stream;
use super::super::incoming::{Caller, tell_session};
use super::super::said::Words;
use super::super::state::ApiState;
use super::events::events;
use super::object::Shell;
use super::previous::Ground;
use super::request::Request;

/// Answers that are kept, of all callers.
const KEPT: Bounds = Bounds { responses: 1_000, bytes: 64 * 1024 * 1024 };

/// Keeps an answer, if that is wanted.
#[derive(Debug)]
pub(super) struct Keeping {
    state: ApiState,
    scope: String,
    said: Words,
}

pub(super) async fn create(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(request): JsonBody<Request>,
) -> Result<Response, ApiError> {
    let heard = request.heard()?;
    let series = request.series()?;
    let place = state.place()?;
    let keeping = Keeping { state: state.clone(), scope: caller.scope().to_owned(), said: heard.words() };
    let Ground { conversation, continuing, previous } = Ground::find(&state, &caller, &request, heard.history).await?;
    let attachments = attached::keep(&state, heard.question.images).await?;
    let incoming = conversation.incoming_with(&state, heard.question.text, attachments, continuing)?;
    let shell = Shell {
        instructions: request.instructions,
        previous,
        series,
        is_stored: request.store.unwrap_or(true),
        metadata: request.metadata.unwrap_or_default(),
        ..Shell::new(request.model.unwrap_or_else(|| state.settings().model_name.clone()))
    };
    let asking = Asking::begin(&state, place, incoming).await?;
    if request.stream.unwrap_or(false) {
        return stream(&caller, asking, |asking| events(asking, shell, keeping)).await;
    }
    let answered = asking.answer().await?;
    let body = shell.answered(&answered, &answered.text());
    keeping.keep(&shell, answered.session.as_ref(), &body).await?;
    let mut response = Json(body).into_response();
    tell_session(response.headers_mut(), &caller, answered.session.as_ref().map(SessionId::as_str));
    Ok(response)
}

impl Keeping {
    /// On disk when this returns.
    pub(super) async fn keep(self, shell: &Shell, session: Option<&SessionId>, body: &Value) -> Result<(), ApiError> {
        let Some(session) = session.filter(|_| shell.is_stored) else { return Ok(()) };
        let unwritable = |error| ApiError::internal("a response cannot be kept", &error);
        let response = responses::Response {
            id: shell.id.clone(),
            scope: self.scope,
            session: session.to_string(),
            previous: shell.previous.clone(),
            conversation: shell.series.clone(),
            said: serde_json::to_string(&self.said).map_err(unwritable)?,
            body: body.to_string(),
        };
        self.state.in_store(move |store| Responses::open(store).keep(&response, KEPT)).await
    }
}
