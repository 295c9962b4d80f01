//! `/v1/runs`: turns that go on whether or not anybody waits for them.
//!
//! A run is on disk before its caller hears of it, and its end before anybody is told of that. It is its owner's: whoever names another
//! key, or none, is told that there is no such run.

mod approve;
mod board;
mod create;
mod events;
mod follow;
mod live;
mod request;
mod run;
mod steer;
mod watch;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hermes_store::runs::Runs;

use super::error::ApiError;
use super::incoming::Caller;
use super::state::ApiState;
use run::RunView;

pub(super) use board::RunBoard;
pub(super) use follow::follow_passing;
pub(super) use live::LiveRun;
pub(super) use run::seconds;
pub(super) use watch::{Reader, sign_of_life};

pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/v1/runs", post(create::create))
        .route("/v1/runs/{id}", get(read))
        .route("/v1/runs/{id}/events", get(watch::events))
        .route("/v1/runs/{id}/stop", post(stop))
        .route("/v1/runs/{id}/steer", post(steer::steer))
        .route("/v1/runs/{id}/approval", post(approve::approve))
}

async fn read(State(state): State<ApiState>, caller: Caller, Path(id): Path<String>) -> Result<Response, ApiError> {
    Ok(Json(find(&state, &caller, &id).await?.view().to_json()).into_response())
}

/// Asking a run that is over to stop changes nothing.
async fn stop(State(state): State<ApiState>, caller: Caller, Path(id): Path<String>) -> Result<Response, ApiError> {
    let found = find(&state, &caller, &id).await?;
    if let Found::Live(run) = &found {
        run.stop.cancel();
    }
    Ok(Json(found.view().to_json()).into_response())
}

/// A run of this caller.
#[derive(Debug)]
enum Found {
    Live(Arc<LiveRun>),
    /// It is only on disk.
    Kept(Box<RunView>),
}

impl Found {
    fn view(&self) -> RunView {
        match self {
            Self::Live(run) => run.view(),
            Self::Kept(view) => (**view).clone(),
        }
    }

    /// The run, if it still goes on.
    fn under_way(self) -> Result<Arc<LiveRun>, ApiError> {
        match self {
            Self::Live(run) if !run.is_over() => Ok(run),
            Self::Live(_) | Self::Kept(_) => Err(ApiError::conflict("the run has ended").with_code("run_ended")),
        }
    }
}

async fn find(state: &ApiState, caller: &Caller, id: &str) -> Result<Found, ApiError> {
    if let Some(run) = state.parts.board.get(id).filter(|run| run.owner == caller.scope()) {
        return Ok(Found::Live(run));
    }
    let (owner, id) = (caller.scope().to_owned(), id.to_owned());
    let kept = state.in_store(move |store| Runs::open(store).get(&owner, &id)).await?;
    kept.map(|run| Found::Kept(Box::new(RunView::kept(run)))).ok_or_else(|| ApiError::not_found("run"))
}
