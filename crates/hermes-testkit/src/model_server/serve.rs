//! The socket: requests in, replies out, step by step.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value as Json, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::dialect::{Writer, document};
use super::record::Record;
use super::reply::{Form, Step};
use super::transcript::violations;
use super::{Api, ModelRequest, Reply, Script};

/// What all connections share.
#[derive(Clone)]
pub(super) struct Served {
    pub(super) script: Arc<Script>,
    pub(super) record: Arc<Record>,
    pub(super) stop: CancellationToken,
}

/// Serves until it is stopped.
pub(super) async fn run(listener: std::net::TcpListener, served: Served) {
    let listener = TcpListener::from_std(listener).unwrap();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = served.stop.cancelled() => return,
            accepted = listener.accept() => {
                let (stream, _) = accepted.unwrap();
                served.record.connected();
                connections.spawn(connection(stream, served.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, served: Served) {
    // A delayed packet would be measured as the program's slowness.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| answer(request, served.clone()));
    // A caller that goes away in the middle is an error here, and what many tests are about.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(request: Request<Incoming>, served: Served) -> Result<Response<ReplyBody>, io::Error> {
    let path = request.uri().path().to_owned();
    if request.method() == Method::GET && path.ends_with("/models") {
        let models: Vec<Json> = served.script.models.iter().map(|id| json!({"id": id, "object": "model"})).collect();
        return Ok(plain(StatusCode::OK, json!({"object": "list", "data": models}).to_string()));
    }
    let api = match path.as_str() {
        path if path.ends_with("/chat/completions") => Api::OpenAi,
        path if path.ends_with("/v1/messages") => Api::Anthropic,
        _ => {
            served.record.violation(format!("nothing is at {path}"));
            return Ok(plain(StatusCode::NOT_FOUND, json!({"error": {"message": "nothing is here"}}).to_string()));
        }
    };
    let headers = request.headers().iter();
    let headers =
        headers.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
    let headers = headers.collect();
    let bytes = request.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or(Json::Null);
    let request = ModelRequest { api, path, headers, body };
    let reply = checked(&request, &served);
    served.record.request(request.clone());
    play(request, reply, served).await
}

/// The script's reply, or the refusal of a wrong request.
fn checked(request: &ModelRequest, served: &Served) -> Reply {
    let mut wrong = violations(request.api, &request.body);
    if request.api == Api::Anthropic && !request.headers.contains_key("anthropic-version") {
        wrong.push("the header anthropic-version is missing".to_owned());
    }
    let reply = served.script.next(request);
    if reply.is_none() {
        wrong.push("the script has no reply left".to_owned());
    }
    let message = json!({"error": {"message": wrong.join("; "), "type": "invalid_request_error"}});
    wrong.iter().for_each(|wrong| served.record.violation(wrong.clone()));
    match reply {
        Some(reply) if wrong.is_empty() => reply,
        _ => Reply::status(400, &message.to_string()),
    }
}

async fn play(request: ModelRequest, reply: Reply, served: Served) -> Result<Response<ReplyBody>, io::Error> {
    if reply.form == Form::Nothing {
        if matches!(reply.steps.first(), Some(Step::Silence)) {
            let _guard = Unanswered(Some(served.record.clone()));
            std::future::pending::<()>().await;
        }
        return Err(io::Error::other("the script hangs up"));
    }
    let is_stream = reply.form == Form::Asked && request.wants_stream();
    let is_document = !is_stream && reply.form != Form::Bytes;
    let content_type = if is_stream { "text/event-stream" } else { "application/json" };
    let mut response = Response::builder().status(reply.status);
    if !reply.headers.iter().any(|(name, _)| name == "content-type") {
        response = response.header("content-type", content_type);
    }
    for (name, value) in &reply.headers {
        response = response.header(name, value);
    }
    if is_document && reply.steps.iter().all(|step| !matches!(step, Step::Hold(_) | Step::Silence | Step::Disconnect)) {
        let text = document(request.api, &request.body, &reply).to_string();
        return response.body(ReplyBody::whole(text)).map_err(io::Error::other);
    }
    let (sender, receiver) = mpsc::channel(1);
    let unanswered = Some(Unanswered(Some(served.record)));
    let player = Player { request, reply, sender, form: if is_document { Form::Document } else { Form::Asked } };
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { player.steps().await });
    response.body(ReplyBody { receiver, _player: Some(tasks), unanswered }).map_err(io::Error::other)
}

/// Sends a reply step by step, and notices when nobody listens any more.
struct Player {
    request: ModelRequest,
    reply: Reply,
    sender: mpsc::Sender<io::Result<Bytes>>,
    form: Form,
}

impl Player {
    async fn steps(&self) {
        let mut writer = Writer::new(self.request.api, &self.request.body);
        let is_written = self.reply.form == Form::Asked && self.form == Form::Asked;
        if is_written {
            self.send(writer.begin(&self.reply)).await;
        }
        for step in &self.reply.steps {
            match step {
                Step::Hold(gate) => gate.opened().await,
                Step::Silence => std::future::pending().await,
                Step::Disconnect => {
                    let _ = self.sender.send(Err(io::Error::other("the script disconnects"))).await;
                    return;
                }
                Step::Bytes(bytes) => self.send(bytes.clone()).await,
                step if is_written => {
                    self.send(writer.step(step)).await;
                    if matches!(step, Step::Error(_)) {
                        return;
                    }
                }
                _ => {}
            }
        }
        match (is_written, self.form) {
            (true, _) => self.send(writer.end(&self.reply)).await,
            (false, Form::Document) => {
                self.send(document(self.request.api, &self.request.body, &self.reply).to_string().into_bytes()).await;
            }
            _ => {}
        }
    }

    async fn send(&self, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            let _ = self.sender.send(Ok(Bytes::from(bytes))).await;
        }
    }
}

/// Tells the record that the caller left before its answer was complete.
struct Unanswered(Option<Arc<Record>>);

impl Unanswered {
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if let Some(record) = &self.0 {
            record.gone();
        }
    }
}

/// A body that is sent as it is written.
struct ReplyBody {
    receiver: mpsc::Receiver<io::Result<Bytes>>,
    /// Ends with the body.
    _player: Option<JoinSet<()>>,
    /// Taken away when all is sent.
    unanswered: Option<Unanswered>,
}

impl ReplyBody {
    fn whole(text: String) -> Self {
        let (sender, receiver) = mpsc::channel(1);
        // There is room for one.
        let _ = sender.try_send(Ok(Bytes::from(text)));
        Self { receiver, _player: None, unanswered: None }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = self.receiver.poll_recv(context);
        if matches!(next, Poll::Ready(None | Some(Err(_))))
            && let Some(answered) = self.unanswered.take()
        {
            answered.forget();
        }
        next.map(|bytes| bytes.map(|bytes| bytes.map(Frame::data)))
    }
}

fn plain(status: StatusCode, text: String) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::whole(text));
    *response.status_mut() = status;
    response
}
