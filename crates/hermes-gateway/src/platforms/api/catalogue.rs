//! What the agent can do: `/v1/capabilities`, `/v1/skills`, `/v1/toolsets`.

use std::path::PathBuf;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use hermes_agent::Toolset;
use hermes_home::skills;
use serde_json::{Value, json};

use super::body::LARGEST;
use super::error::ApiError;
use super::health::PRODUCT;
use super::incoming::{SESSION_ID, SESSION_KEY};
use super::state::ApiState;

pub(super) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/v1/capabilities", get(capabilities))
        .route("/v1/skills", get(skills))
        .route("/v1/toolsets", get(toolsets))
}

async fn capabilities(State(state): State<ApiState>) -> Json<Value> {
    let settings = state.settings();
    Json(json!({
        "object": "hermes.api_server.capabilities",
        "platform": PRODUCT,
        "model": settings.model_name,
        "auth": {"type": "bearer", "required": true},
        "features": {
            "chat_completions": true,
            "chat_completions_streaming": true,
            "responses": true,
            "responses_streaming": true,
            "tool_progress_events": true,
            "runs": true,
            "run_events": true,
            "run_approvals": true,
            "sessions": true,
            "client_tools": false,
            "images": true,
            "files": false,
            "session_headers": [SESSION_ID, SESSION_KEY],
        },
        "limits": {"max_concurrent_runs": settings.most_runs, "max_request_bytes": LARGEST},
    }))
}

async fn skills(State(state): State<ApiState>) -> Result<Json<Value>, ApiError> {
    let mut roots = vec![state.parts.home.path().join("skills")];
    roots.extend(state.parts.config.skills.external_dirs.iter().map(PathBuf::from));
    let found = tokio::task::spawn_blocking(move || skills::find(&roots)).await;
    let found = found.map_err(|error| ApiError::internal("skills cannot be listed", &error))?;
    // Where they stand is this machine's affair.
    let data: Vec<_> = found
        .into_iter()
        .map(|skill| json!({"name": skill.name, "description": skill.description, "category": skill.category}))
        .collect();
    Ok(Json(json!({"object": "list", "data": data})))
}

async fn toolsets(State(state): State<ApiState>) -> Json<Value> {
    let tools = |set: Toolset| -> Vec<&'static str> {
        state.inbox.tools().iter().filter(|tool| tool.toolset() == set).map(|tool| tool.name()).collect()
    };
    let toolset = |set: Toolset| {
        let tools = tools(set);
        json!({"name": set.name(), "enabled": !tools.is_empty(), "tools": tools})
    };
    Json(json!({"object": "list", "data": Toolset::ALL.map(toolset)}))
}
