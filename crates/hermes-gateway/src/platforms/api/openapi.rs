//! `/openapi.json`: what the API can be asked, for programs that read it.
//!
//! The document is kept by hand beside the code; tests compare it with the routes and ask the served API everything that it says.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::state::ApiState;

const DOCUMENT: &str = include_str!("openapi.json");

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route("/openapi.json", get(document))
}

async fn document() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}
