//! `/metrics`, in the text format that Prometheus reads.
//!
//! Routes are counted by the pattern they match and methods by the few that are known: nothing that a caller writes becomes a label.

use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hermes_store::ledger::Ledger;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::error::ApiError;
use super::state::ApiState;
use crate::SessionState;

const FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Seconds until an answer begins.
const BUCKETS: [f64; 10] = [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0];

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route("/metrics", get(metrics))
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

/// What the API counts of its own.
#[derive(Debug)]
pub(super) struct HttpMetrics {
    requests: Family<Answered, Counter>,
    seconds: Family<Route, Histogram, fn() -> Histogram>,
}

impl HttpMetrics {
    pub(super) fn new() -> Self {
        Self { requests: Family::default(), seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS)) }
    }

    fn register(&self, registry: &mut Registry) {
        registry.register("hermes_http_requests", "Requests, by route and status", self.requests.clone());
        registry.register("hermes_http_seconds", "Seconds until an answer began", self.seconds.clone());
    }
}

/// Counts a request.
pub(super) async fn count(State(state): State<ApiState>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let matched = request.extensions().get::<MatchedPath>();
    let route = matched.map_or("unmatched", MatchedPath::as_str).to_owned();
    let method = known(request.method());
    let response = next.run(request).await;
    let http = &state.parts.http;
    http.seconds.get_or_create(&Route { route: route.clone() }).observe(begun.elapsed().as_secs_f64());
    http.requests.get_or_create(&Answered { route, method, status: response.status().as_u16() }).inc();
    response
}

const fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

async fn metrics(State(state): State<ApiState>) -> Result<Response, ApiError> {
    let mut registry = Registry::default();
    state.inbox.metrics().register(&mut registry);
    state.parts.http.register(&mut registry);
    for (name, help, value) in now(&state).await? {
        let gauge = Gauge::<i64>::default();
        gauge.set(value);
        registry.register(name, help, gauge);
    }
    let mut text = String::new();
    encode(&mut text, &registry).map_err(|error| ApiError::internal("the metrics cannot be written", &error))?;
    Ok(([(header::CONTENT_TYPE, FORMAT)], text).into_response())
}

/// What is so at this moment.
async fn now(state: &ApiState) -> Result<Vec<(&'static str, &'static str, i64)>, ApiError> {
    let sessions = state.inbox.sessions().await;
    let running = sessions.iter().filter(|session| session.state == SessionState::Running).count();
    let queued: usize = sessions.iter().map(|session| session.queued).sum();
    let due = state.in_store(|store| Ledger::open(store).due_count()).await?;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let uptime = state.inbox.metrics().begun.elapsed().as_secs();
    Ok(vec![
        ("hermes_conversations_running", "Conversations whose turn runs", number(running)),
        ("hermes_conversations_waiting", "Conversations that wait for a place", number(sessions.len() - running)),
        ("hermes_messages_queued", "Messages that wait behind a running turn", number(queued)),
        ("hermes_deliveries_due", "Deliveries that have not arrived", i64::try_from(due).unwrap_or(i64::MAX)),
        ("hermes_uptime_seconds", "Seconds since the gateway began", i64::try_from(uptime).unwrap_or(i64::MAX)),
        ("process_resident_memory_bytes", "Memory that the process uses", resident()),
    ])
}

/// Nothing where the kernel does not tell.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<i64>().ok());
    kilobytes.unwrap_or_default() * 1024
}
