//! Accept, limit, answer, drain.
//!
//! Anybody who can reach the port can open connections and be slow on them. So their number is bounded before they are accepted, a
//! request's head has to arrive in time, and whoever does not take what is written is let go.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::auth::require_key;
use super::error::ApiError;
use super::incoming::{SESSION_ID, SESSION_KEY};
use super::metrics::count;
use super::state::ApiState;

/// Connections at once; more wait to be accepted.
const MOST_CONNECTIONS: usize = 512;
/// For a request's head, and for the next request on a connection.
const HEAD: Duration = Duration::from_secs(30);
/// How long somebody may take nothing of what is written to them.
const STUCK: Duration = Duration::from_secs(60);
/// For those under way at the end: their turns have ended before.
const LAST_CALL: Duration = Duration::from_secs(5);
/// Bytes of a request's head.
const LARGEST_HEAD: usize = 64 * 1024;

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
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let (tasks, graceful) = (TaskTracker::new(), GracefulShutdown::new());
    loop {
        let accepted = async {
            let permit = Arc::clone(&room).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, stream) = tokio::select! {
            () = shutdown.cancelled() => break,
            (permit, accepted) = accepted => match (permit, accepted) {
                (Ok(permit), Ok((stream, _))) => (permit, stream),
                // Out of descriptors: those under way end and give theirs back.
                _ => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let connection = http().serve_connection(TokioIo::new(Box::pin(patient(stream))), service.clone());
        let connection = graceful.watch(connection);
        tasks.spawn(async move {
            // A client that breaks off is its own affair: what it waited for is dropped with it.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(LAST_CALL, graceful.shutdown()).await;
    tasks.close();
    let _ = tokio::time::timeout(LAST_CALL, tasks.wait()).await;
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LARGEST_HEAD);
    http
}

fn patient(stream: TcpStream) -> TimeoutStream<TcpStream> {
    // Small pieces of a stream are worth sending at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STUCK));
    stream
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
