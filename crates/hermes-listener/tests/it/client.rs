//! A listener with small limits, and raw connections to it.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hermes_listener::{Connection, Limits, serve};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Longer than anything takes, on a busy machine too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// So long that a test that waits for it fails.
pub(crate) const NEVER: Duration = Duration::from_secs(3600);

pub(crate) fn limits() -> Limits {
    Limits {
        connections: 8,
        head: NEVER,
        head_bytes: 8 * 1024,
        stuck: NEVER,
        connection: Connection::Kept,
        last_call: NEVER,
    }
}

/// A listener that answers `/` at once, `/slow` when told to, and `/endless` for ever.
pub(crate) struct Served {
    address: std::net::SocketAddr,
    pub(crate) shutdown: CancellationToken,
    pub(crate) task: JoinHandle<()>,
    /// Somebody asked for what is slow.
    pub(crate) asked: Arc<Notify>,
    /// Lets one slow answer come.
    pub(crate) go: Arc<Notify>,
    /// An endless answer was dropped.
    pub(crate) dropped: Arc<Notify>,
}

impl Served {
    pub(crate) async fn with(limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = CancellationToken::new();
        let [asked, go, dropped] = [(); 3].map(|()| Arc::new(Notify::new()));
        let answers = (asked.clone(), go.clone(), dropped.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let (asked, go, dropped) = answers.clone();
            async move {
                let body = match request.uri().path() {
                    "/slow" => {
                        asked.notify_one();
                        go.notified().await;
                        full("slow")
                    }
                    "/endless" => Endless(dropped).boxed(),
                    "/body" => full(&format!("{}", request.collect().await.map_or(0, |body| body.to_bytes().len()))),
                    _ => full("hello"),
                };
                Ok::<_, Infallible>(Response::new(body))
            }
        });
        let task = tokio::task::spawn(serve(listener, service, limits, shutdown.clone()));
        Self { address, shutdown, task, asked, go, dropped }
    }

    pub(crate) async fn connect(&self) -> Client {
        Client(TcpStream::connect(self.address).await.unwrap())
    }

    /// Waits for the listener's end.
    pub(crate) async fn ended(self) {
        timeout(PATIENCE, self.task).await.expect("it goes on").unwrap();
    }
}

fn full(text: &str) -> BoxBody<Bytes, Infallible> {
    Full::new(Bytes::copy_from_slice(text.as_bytes())).boxed()
}

struct Endless(Arc<Notify>);

impl Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 16 * 1024])))))
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// A connection.
pub(crate) struct Client(TcpStream);

impl Client {
    pub(crate) async fn send(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes()).await
    }

    pub(crate) async fn get(&mut self, path: &str) {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")).await.unwrap();
    }

    /// Everything up to this text, or to the end if it does not come.
    pub(crate) async fn read_to(&mut self, end: &str) -> String {
        let mut text = Vec::new();
        let reading = async {
            while !String::from_utf8_lossy(&text).contains(end) {
                match self.0.read_buf(&mut text).await {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
            }
        };
        timeout(PATIENCE, reading).await.expect("neither an answer nor the end comes");
        String::from_utf8_lossy(&text).into_owned()
    }

    /// What is left until the server closes the connection.
    pub(crate) async fn read_to_end(&mut self) -> String {
        self.read_to("\u{0}never").await
    }
}
