//! `GET /v1/models`: the agent, as the one model there is.

use axum::extract::{Path, State};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::error::ApiError;
use super::health::PRODUCT;
use super::state::ApiState;

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route("/v1/models", get(list)).route("/v1/models/{id}", get(show))
}

async fn list(State(state): State<ApiState>) -> Json<Value> {
    Json(json!({"object": "list", "data": [model(&state.settings().model_name)]}))
}

async fn show(State(state): State<ApiState>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    if id == state.settings().model_name {
        Ok(Json(model(&id)))
    } else {
        Err(ApiError::not_found("model").about("model").with_code("model_not_found"))
    }
}

fn model(name: &str) -> Value {
    // No moment at which it was made is known.
    json!({"id": name, "object": "model", "created": 0, "owned_by": PRODUCT, "root": name, "parent": null})
}
