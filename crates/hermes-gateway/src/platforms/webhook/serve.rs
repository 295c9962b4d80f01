//! The two addresses of the platform.

use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use hermes_listener::{Connection, Limits};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::receive::{Receiver, receive};

const LIMITS: Limits = Limits {
    connections: 64,
    head: Duration::from_secs(10),
    head_bytes: 32 * 1024,
    stuck: Duration::from_secs(60),
    connection: Connection::Single(Duration::from_secs(60)),
    last_call: Duration::from_secs(5),
};

/// Answers on this listener until it is told to stop.
pub(super) async fn serve(listener: TcpListener, receiver: Receiver, shutdown: CancellationToken) {
    let router = Router::new()
        .route("/webhooks/{route}", post(receive))
        .route("/health", get(async || "ok"))
        .with_state(receiver);
    hermes_listener::serve(listener, TowerToHyperService::new(router), LIMITS, shutdown).await;
}
