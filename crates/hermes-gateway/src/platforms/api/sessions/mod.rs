//! `/api/sessions`: the conversations that callers of the API have had.
//!
//! A caller sees those of its own key, or without one those that were begun without one. Sessions of other platforms and of the terminal are
//! nobody's here: this machine's chats are not the business of whoever may call its API.

mod chat;
mod fork;
mod list;
mod messages;
mod object;
mod page;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use hermes_store::sessions::{NewSession, Session, SessionError, SessionId, Sessions, Title};
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::JsonBody;
use super::error::ApiError;
use super::incoming::{Caller, Conversation};
use super::state::ApiState;
use crate::Continuing;
use object::to_json;

pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/api/sessions", get(list::list).post(create))
        .route("/api/sessions/{id}", get(read).patch(rename).delete(delete))
        .route("/api/sessions/{id}/messages", get(messages::messages))
        .route("/api/sessions/{id}/fork", post(fork::fork))
        .route("/api/sessions/{id}/chat", post(chat::chat))
        .route("/api/sessions/{id}/chat/stream", post(chat::stream))
}

/// The body of `POST /api/sessions` and of a fork.
#[derive(Debug, Default, Deserialize)]
struct Named {
    #[serde(default)]
    title: Option<String>,
}

async fn create(
    State(state): State<ApiState>,
    caller: Caller,
    JsonBody(named): JsonBody<Named>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let title = title(named.title.as_deref())?;
    let new = new_session(&state, &caller)?;
    let id = new.id.clone();
    in_sessions(&state, move |sessions| Ok(sessions.create(&new)?)).await?;
    named_session(&state, id, title).await
}

/// A session that is there now, with the title that it should have; none if it cannot have it.
async fn named_session(
    state: &ApiState,
    id: SessionId,
    title: Option<Title>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let session = in_sessions(state, move |sessions| {
        if let Some(title) = title
            && let Err(error) = sessions.rename(&id, title.as_str())
        {
            sessions.delete(&id)?;
            return Err(error);
        }
        sessions.find(id.as_str())
    });
    Ok((StatusCode::CREATED, Json(to_json(&session.await?))))
}

async fn read(State(state): State<ApiState>, caller: Caller, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    Ok(Json(to_json(&own(&state, &caller, &id).await?)))
}

/// The body of `PATCH /api/sessions/{id}`.
#[derive(Debug, Deserialize)]
struct Renamed {
    title: String,
}

async fn rename(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(renamed): JsonBody<Renamed>,
) -> Result<Json<Value>, ApiError> {
    let session = own(&state, &caller, &id).await?;
    let title = title(Some(&renamed.title))?;
    let renamed = in_sessions(&state, move |sessions| {
        if let Some(title) = title {
            sessions.rename(&session.id, title.as_str())?;
        }
        sessions.find(session.id.as_str())
    });
    Ok(Json(to_json(&renamed.await?)))
}

async fn delete(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let session = own(&state, &caller, &id).await?;
    let at_work = state.inbox.sessions().await;
    if at_work.iter().any(|one| Some(one.key.as_str()) == session.key.as_deref()) {
        return Err(ApiError::conflict("its conversation is being worked on; stop that first"));
    }
    in_sessions(&state, move |sessions| sessions.delete(&session.id)).await?;
    Ok(Json(json!({"id": id, "object": "hermes.session.deleted", "deleted": true})))
}

/// A session of this caller, by its whole id.
async fn own(state: &ApiState, caller: &Caller, id: &str) -> Result<Session, ApiError> {
    Conversation::of_session(state, caller, id).await?;
    let id = id.to_owned();
    in_sessions(state, move |sessions| sessions.find(&id)).await
}

/// A new session in the caller's conversation, or in one of its own.
fn new_session(state: &ApiState, caller: &Caller) -> Result<NewSession, ApiError> {
    let incoming = Conversation::of(caller)?.incoming(state, String::new(), Continuing::Conversation)?;
    let key = state.inbox.key(&incoming)?.to_string();
    Ok(NewSession { key: Some(key), ..NewSession::from(state.parts.platform.as_str()) })
}

fn title(text: Option<&str>) -> Result<Option<Title>, ApiError> {
    let wrong = |problem| ApiError::invalid(format!("a title cannot be like this: {problem}")).about("title");
    text.map(|text| Title::parse(text).map_err(wrong)).transpose()
}

/// Uses the sessions on a thread that may wait.
async fn in_sessions<T: Send + 'static>(
    state: &ApiState,
    work: impl FnOnce(&Sessions) -> Result<T, SessionError> + Send + 'static,
) -> Result<T, ApiError> {
    let sessions = Sessions::open(&state.parts.store);
    match tokio::task::spawn_blocking(move || work(&sessions)).await {
        Ok(Ok(found)) => Ok(found),
        // The holder of a title may be somebody else's session.
        Ok(Err(SessionError::TitleTaken { .. })) => {
            Err(ApiError::conflict("another session has this title").about("title").with_code("title_taken"))
        }
        Ok(Err(SessionError::NotFound { .. })) => Err(ApiError::not_found("session")),
        Ok(Err(error)) => Err(ApiError::internal("the sessions cannot be used", &error)),
        Err(error) => Err(ApiError::internal("the sessions failed unexpectedly", &error)),
    }
}
