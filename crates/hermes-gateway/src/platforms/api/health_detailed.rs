//! `/health/detailed`: how the gateway is, for its operator.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use hermes_store::ledger::Ledger;
use serde_json::{Value, json};

use super::error::ApiError;
use super::health::PRODUCT;
use super::state::ApiState;
use crate::{AdapterState, SessionState};

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route("/health/detailed", get(detailed))
}

async fn detailed(State(state): State<ApiState>) -> Result<Json<Value>, ApiError> {
    let adapters = state.inbox.health();
    let sessions = state.inbox.sessions().await;
    let running = sessions.iter().filter(|session| session.state == SessionState::Running).count();
    let queued: usize = sessions.iter().map(|session| session.queued).sum();
    let due = state.in_store(|store| Ledger::open(store).due_count()).await?;
    let is_well = adapters.values().all(|adapter| matches!(adapter, AdapterState::Running));
    Ok(Json(json!({
        "status": if is_well { "ok" } else { "degraded" },
        "platform": PRODUCT,
        "version": env!("CARGO_PKG_VERSION"),
        "profile": state.parts.home.name().to_string(),
        "pid": std::process::id(),
        "uptime_seconds": state.inbox.metrics().begun.elapsed().as_secs(),
        "is_stopping": state.inbox.is_stopping(),
        "adapters": adapters,
        "conversations": {"running": running, "waiting": sessions.len() - running, "queued_messages": queued},
        "deliveries_due": due,
    })))
}
