//! The page, on a listener.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use hermes_listener::{Connection, Limits};
use hyper::service::service_fn;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::answer::answer;
use crate::settings::Credentials;

const PATIENCE: Duration = Duration::from_secs(5);

const LIMITS: Limits = Limits {
    connections: 64,
    head: PATIENCE,
    head_bytes: 16 * 1024,
    stuck: PATIENCE,
    connection: Connection::Kept,
    last_call: PATIENCE,
};

/// Answers on this listener until it is told to stop.
pub async fn serve(listener: TcpListener, credentials: Option<Credentials>, shutdown: CancellationToken) {
    let credentials = Arc::new(credentials);
    let respond =
        service_fn(move |request| ready(Ok::<_, Infallible>(answer(&request, credentials.as_ref().as_ref()))));
    hermes_listener::serve(listener, respond, LIMITS, shutdown).await;
}
