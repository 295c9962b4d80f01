//! Taking a run: once per name of a request, bounded, and on disk before it is answered.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use hermes_proto::turn::Surface;
use hermes_store::Time;
use hermes_store::runs::{NewRun, Run, Runs, Taken};
use uuid::Uuid;

use super::super::attached;
use super::super::body::JsonBody;
use super::super::error::ApiError;
use super::super::incoming::{Caller, Conversation};
use super::super::state::{ApiState, Place};
use super::follow::follow;
use super::live::LiveRun;
use super::request::RunRequest;
use super::run::{Detail, RunError, RunView};
use crate::{Continuing, Incoming};

const IDEMPOTENCY: &str = "idempotency-key";
/// Tells that the answer is an earlier request's.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// Characters of a request's name.
const LONGEST_NAME: usize = 255;
/// Days for which a request's name is remembered.
const REMEMBERED_DAYS: u32 = 1;

pub(super) async fn create(
    State(state): State<ApiState>,
    caller: Caller,
    headers: HeaderMap,
    JsonBody(request): JsonBody<RunRequest>,
) -> Result<Response, ApiError> {
    let name = name(&headers)?;
    let heard = request.heard()?;
    let session = request.session_id.clone().or_else(|| caller.session.clone());
    let asked = format!("{}:{}", session.as_deref().unwrap_or_default(), request.digest()?);
    let new = NewRun {
        id: format!("run_{}", Uuid::now_v7().simple()),
        owner: caller.scope().to_owned(),
        detail: detail(&Detail::default())?,
        request: name,
        asked,
    };
    let place = match state.place() {
        Ok(place) => place,
        Err(busy) => return before(&state, &new).await?.ok_or(busy),
    };
    let (conversation, continuing) = match session {
        Some(id) => {
            let conversation = Conversation::of_session(&state, &caller, &id).await?;
            if !heard.history.is_empty() {
                let message = "a session that goes on has its instructions and history already";
                return Err(ApiError::invalid(message).about("session_id"));
            }
            (conversation, Continuing::Session(id))
        }
        None => (Conversation::of(&caller)?, Continuing::Fresh(heard.history)),
    };
    let attachments = attached::keep(&state, heard.question.images).await?;
    let incoming = Incoming {
        message: new.id.parse().map_err(|error| ApiError::internal("an id cannot be made", &error))?,
        // Its questions go to its events, and its caller answers.
        surface: Surface::Gateway,
        ..conversation.incoming_with(&state, heard.question.text, attachments, continuing)?
    };
    // A caller who leaves in the middle must not leave a run behind that nobody works on.
    let begun = state.parts.board.tasks.spawn(begin(state.clone(), new, incoming, place));
    begun.await.unwrap_or_else(|error| Err(ApiError::internal("the run failed unexpectedly", &error)))
}

async fn begin(state: ApiState, new: NewRun, incoming: Incoming, place: Place) -> Result<Response, ApiError> {
    let key = state.inbox.key(&incoming)?;
    let row = new.clone();
    let taken = state.in_store(move |store| Runs::open(store).take(&row, remembered())).await?;
    match taken {
        Taken::New => {}
        Taken::Before(run) => return Ok(again(&state, run)),
        Taken::Different => return Err(reused()),
    }
    let run = Arc::new(LiveRun::new(incoming.message.clone(), new.owner, key));
    let board = &state.parts.board;
    board.add(run.clone());
    match state.inbox.attend(incoming, run.clone()).await {
        Ok(attended) => {
            let answer = (StatusCode::ACCEPTED, Json(run.view().to_json())).into_response();
            board.tasks.spawn(follow(state.clone(), run, attended, place));
            Ok(answer)
        }
        Err(error) => {
            board.remove(&new.id);
            let error = ApiError::from(error);
            let refused = RunError { code: error.code().to_owned(), message: error.message().to_owned() };
            let detail = detail(&Detail { error: Some(refused), ..Detail::default() })?;
            state.in_store(move |store| Runs::open(store).refuse(&new.id, &detail)).await?;
            Err(error)
        }
    }
}

/// The answer to a request that was taken before under its name, if it was.
async fn before(state: &ApiState, new: &NewRun) -> Result<Option<Response>, ApiError> {
    let Some(name) = new.request.clone() else { return Ok(None) };
    let owner = new.owner.clone();
    match state.in_store(move |store| Runs::open(store).before(&owner, &name, remembered())).await? {
        Some((run, asked)) if asked == new.asked => Ok(Some(again(state, run))),
        Some(_) => Err(reused()),
        None => Ok(None),
    }
}

fn again(state: &ApiState, run: Run) -> Response {
    let view = state.parts.board.get(&run.id).map_or_else(|| RunView::kept(run), |run| run.view());
    (StatusCode::OK, [(REPLAYED, HeaderValue::from_static("true"))], Json(view.to_json())).into_response()
}

fn reused() -> ApiError {
    ApiError::unprocessable("this Idempotency-Key was used for another request").with_code("idempotency_key_reused")
}

fn remembered() -> Time {
    Time::now().days_before(REMEMBERED_DAYS)
}

fn name(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut names = headers.get_all(IDEMPOTENCY).iter();
    let (name, is_one) = (names.next(), names.next().is_none());
    let Some(name) = name else { return Ok(None) };
    let text = name.to_str().unwrap_or_default().trim();
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_one && is_visible && (1..=LONGEST_NAME).contains(&text.len()) {
        return Ok(Some(text.to_owned()));
    }
    let message = format!("it has to be one text of 1 to {LONGEST_NAME} visible characters");
    Err(ApiError::invalid(message).about("Idempotency-Key"))
}

pub(super) fn detail(detail: &Detail) -> Result<String, ApiError> {
    serde_json::to_string(detail).map_err(|error| ApiError::internal("the run cannot be written", &error))
}
