//! Whether it is there. Asked without a key, by supervisors and by a gateway that finds its port taken: it tells nothing else.

use axum::Json;
use axum::Router;
use axum::routing::get;
use serde_json::{Value, json};

use super::state::ApiState;

/// How a Hermes is known.
pub(super) const PRODUCT: &str = "hermes-agent";

pub(super) fn open_routes() -> Router<ApiState> {
    Router::new().route("/health", get(health)).route("/v1/health", get(health))
}

async fn health() -> Json<Value> {
    Json(json!({"status": "ok", "platform": PRODUCT}))
}
