//! The life of a listener, and of each connection to it.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use crate::limits::{Connection, Limits};

/// How long to wait for descriptors when there are none.
const NO_DESCRIPTORS: Duration = Duration::from_millis(100);

/// Answers on this listener until it is told to stop. It returns when nobody is served any more.
pub async fn serve<S, B>(listener: TcpListener, service: S, limits: Limits, shutdown: CancellationToken)
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let room = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    // Dropped with its connections, if they outlast the end.
    let mut connections = JoinSet::new();
    loop {
        let (permit, stream) = tokio::select! {
            () = shutdown.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &room) => accepted,
        };
        let stream = TokioIo::new(Box::pin(patient(stream, limits.stuck)));
        let connection = graceful.watch(http(&limits).serve_connection(stream, service.clone()));
        connections.spawn(async move {
            // A client that breaks off is its own affair: what it waited for is dropped with it.
            match limits.connection {
                Connection::Kept => drop(connection.await),
                Connection::Single(longest) => drop(timeout(longest, connection).await),
            }
            drop(permit);
        });
    }
    drop(listener);
    let ended = async {
        graceful.shutdown().await;
        while connections.join_next().await.is_some() {}
    };
    let _ = timeout(limits.last_call, ended).await;
}

/// The next connection for which there is room.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> (OwnedSemaphorePermit, TcpStream) {
    loop {
        let permit = Arc::clone(room).acquire_owned().await;
        if let (Ok(permit), Ok((stream, _))) = (permit, listener.accept().await) {
            return (permit, stream);
        }
        // Out of descriptors: those under way end and give theirs back.
        sleep(NO_DESCRIPTORS).await;
    }
}

fn http(limits: &Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(limits.head_bytes)
        .keep_alive(limits.connection == Connection::Kept);
    http
}

fn patient(stream: TcpStream, stuck: Duration) -> TimeoutStream<TcpStream> {
    // Small pieces of a stream are worth sending at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(stuck));
    stream
}
