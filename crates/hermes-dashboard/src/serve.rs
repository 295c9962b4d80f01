//! Accept, limit, answer, drain.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::answer::answer;
use crate::settings::Credentials;

/// Connections at once; more wait to be accepted.
const MOST: usize = 64;
/// For the request's head, and for those under way at the end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers on this listener until it is told to stop.
pub async fn serve(listener: TcpListener, credentials: Option<Credentials>, shutdown: CancellationToken) {
    let room = Arc::new(Semaphore::new(MOST));
    let credentials = Arc::new(credentials);
    let tasks = TaskTracker::new();
    let graceful = GracefulShutdown::new();
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
        let credentials = Arc::clone(&credentials);
        let respond = service_fn(move |request| {
            let response = answer(&request, credentials.as_ref().as_ref());
            std::future::ready(Ok::<_, Infallible>(response))
        });
        let connection = graceful.watch(http().serve_connection(TokioIo::new(stream), respond));
        tasks.spawn(async move {
            // A client that breaks off is its own affair.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(PATIENCE, graceful.shutdown()).await;
    tasks.close();
    let _ = tokio::time::timeout(PATIENCE, tasks.wait()).await;
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(16 * 1024);
    http
}
