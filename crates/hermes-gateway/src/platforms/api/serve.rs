//! The way from a connection to a resource.

use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use hermes_listener::{Connection, Limits};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::auth::require_key;
use super::error::ApiError;
use super::incoming::{SESSION_ID, SESSION_KEY};
use super::metrics::count;
use super::state::ApiState;

const LIMITS: Limits = Limits {
    connections: 512,
    head: Duration::from_secs(30),
    head_bytes: 64 * 1024,
    stuck: Duration::from_secs(60),
    connection: Connection::Kept,
    // Their turns have ended before.
    last_call: Duration::from_secs(5),
};

/// What needs the key: one file per resource.
const RESOURCES: &[fn() -> Router<ApiState>] = &[
    super::catalogue::routes,
    super::chat::routes,
    super::health_detailed::routes,
    super::metrics::routes,
    super::models::routes,
    super::openapi::routes,
    super::responses::routes,
    super::runs::routes,
    super::sessions::routes,
];

/// Every resource.
pub(super) fn router(state: &ApiState) -> Router {
    let kept = RESOURCES
        .iter()
        .fold(Router::new(), |all, routes| all.merge(routes()))
        .fallback(async || ApiError::not_found("address"))
        .method_not_allowed_fallback(async || ApiError::no_such_method())
        .layer(from_fn_with_state(state.clone(), require_key));
    let all = super::health::open_routes()
        .merge(kept)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(state.clone(), count));
    let all = match cors(state) {
        Some(cors) => all.layer(cors),
        None => all,
    };
    all.with_state(state.clone())
}

/// Answers on this listener until it is told to stop.
pub(super) async fn serve(listener: TcpListener, state: ApiState, shutdown: CancellationToken) {
    let service = TowerToHyperService::new(router(&state));
    hermes_listener::serve(listener, service, LIMITS, shutdown).await;
}

/// Off unless web pages are named.
fn cors(state: &ApiState) -> Option<CorsLayer> {
    let origins = &state.settings().origins;
    let allowed = match origins.as_slice() {
        [] => return None,
        all if all.iter().any(|one| one == "*") => AllowOrigin::any(),
        some => AllowOrigin::list(some.iter().filter_map(|one| HeaderValue::from_str(one).ok())),
    };
    let shown = [HeaderName::from_static(SESSION_ID), HeaderName::from_static(SESSION_KEY)];
    let sent = [header::AUTHORIZATION, header::CONTENT_TYPE].into_iter().chain(shown.clone());
    let resumed = ["idempotency-key", "last-event-id"].map(HeaderName::from_static);
    let methods = [Method::GET, Method::POST, Method::PATCH, Method::DELETE];
    let layer = CorsLayer::new().allow_origin(allowed).allow_methods(methods);
    Some(layer.allow_headers(sent.chain(resumed).collect::<Vec<_>>()).expose_headers(shown))
}

/// What a panic says may name anything: it is for the log.
#[expect(clippy::needless_pass_by_value, reason = "the layer gives it away")]
fn panicked(cause: Box<dyn std::any::Any + Send>) -> Response {
    let text = cause.downcast_ref::<String>().map(String::as_str).or_else(|| cause.downcast_ref::<&str>().copied());
    ApiError::internal("the request failed unexpectedly", &text.unwrap_or("a panic")).into_response()
}
