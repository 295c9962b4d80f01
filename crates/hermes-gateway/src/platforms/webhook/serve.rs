//! Accept, limit, answer, drain. Whoever can reach the port can open connections and be slow on them: their number is bounded before
//! they are accepted, and a request has to arrive in time.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::receive::{Receiver, receive};

/// Connections at once; more wait to be accepted.
const MOST_CONNECTIONS: usize = 64;
/// For a request's head.
const HEAD: Duration = Duration::from_secs(10);
/// For a connection, whatever it does.
const LONGEST: Duration = Duration::from_secs(60);
const LAST_CALL: Duration = Duration::from_secs(5);
/// Bytes of a request's head.
const LARGEST_HEAD: usize = 32 * 1024;

/// Answers on this listener until it is told to stop.
pub(super) async fn serve(listener: TcpListener, receiver: Receiver, shutdown: CancellationToken) {
    let router = Router::new()
        .route("/webhooks/{route}", post(receive))
        .route("/health", get(async || "ok"))
        .with_state(receiver);
    let service = TowerToHyperService::new(router);
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            let permit = room.clone().acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, stream) = tokio::select! {
            () = shutdown.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            (permit, accepted) = accepted => match (permit, accepted) {
                (Ok(permit), Ok((stream, _))) => (permit, stream),
                // Out of descriptors: those under way end and give theirs back.
                _ => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LARGEST_HEAD).keep_alive(false);
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        connections.spawn(async move {
            // A client that breaks off is its own affair.
            let _ = timeout(LONGEST, connection).await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = timeout(LAST_CALL, async { while connections.join_next().await.is_some() {} }).await;
}
