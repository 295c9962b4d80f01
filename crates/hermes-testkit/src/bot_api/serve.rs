//! The socket.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::TOKEN;
use super::methods::{Answer, perform, updates};
use super::state::{BotCall, Failure, State};

/// Serves until it is stopped.
pub(super) async fn run(listener: std::net::TcpListener, state: Arc<State>, stop: CancellationToken) {
    let listener = TcpListener::from_std(listener).unwrap();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            accepted = listener.accept() => {
                let (stream, _) = accepted.unwrap();
                let state = state.clone();
                let service = service_fn(move |request| answer(request, state.clone()));
                connections.spawn(async move {
                    // A caller that goes away in the middle is an error here, and what some tests are about.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn answer(request: Request<Incoming>, state: Arc<State>) -> Result<Response<Full<Bytes>>, io::Error> {
    let path = request.uri().path().to_owned();
    let bytes = request.into_body().collect().await.map_err(io::Error::other)?.to_bytes();
    if let Some(file) = path.strip_prefix(&format!("/file/bot{TOKEN}/documents/")) {
        return Ok(match state.file(file) {
            Some(bytes) => Response::new(Full::new(Bytes::from(bytes))),
            None => told(&Err((404, "Not Found".to_owned()))),
        });
    }
    let Some(method) = path.strip_prefix(&format!("/bot{TOKEN}/")) else {
        return Ok(told(&Err((401, "Unauthorized".to_owned()))));
    };
    let parameters: Value = serde_json::from_slice(&bytes).unwrap_or_else(|_| form(&bytes));
    let failure = state.with(|known| known.failures.get_mut(method).and_then(std::collections::VecDeque::pop_front));
    let is_done = matches!(failure, None | Some(Failure::Malformed | Failure::HangUpAfterwards));
    let done = match method {
        _ if !is_done => Err((0, String::new())),
        "getUpdates" => Ok(json!(poll(&state, &parameters).await)),
        method => perform(&state, method, &parameters),
    };
    let call = BotCall { method: method.to_owned(), parameters, was_done: done.is_ok() };
    state.with(|known| known.calls.push(call));
    match failure {
        None => Ok(told(&done)),
        Some(Failure::HangUp | Failure::HangUpAfterwards) => Err(io::Error::other("the script hangs up")),
        Some(failure) => Ok(failed(failure)),
    }
}

/// The fields of a form; its file as `NAME: CONTENT`.
fn form(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    let mut fields = json!({});
    let boundary = text.lines().next().unwrap_or_default();
    for part in text.split(boundary).filter(|part| !boundary.is_empty() && part.contains("\r\n\r\n")) {
        let (head, content) = part.split_once("\r\n\r\n").unwrap();
        let quoted = |key: &str| head.split(&format!("; {key}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        let content = content.trim_end_matches("\r\n");
        match (quoted("name"), quoted("filename")) {
            (_, Some(file)) => fields["file"] = json!(format!("{file}: {content}")),
            (Some(name), None) => fields[name] = json!(content),
            (None, None) => {}
        }
    }
    fields
}

/// Waits for updates as long as it was asked to.
async fn poll(state: &State, parameters: &Value) -> Vec<Value> {
    let patience = Duration::from_secs(parameters["timeout"].as_u64().unwrap_or_default());
    let mut changes = state.changes();
    let waiting = async {
        loop {
            changes.borrow_and_update();
            // Looking is no change: nobody is told.
            if let Some(updates) = state.look(|known| updates(known, parameters)) {
                return updates;
            }
            let _ = changes.changed().await;
        }
    };
    timeout(patience, waiting).await.unwrap_or_default()
}

fn told(answer: &Answer) -> Response<Full<Bytes>> {
    let (status, body) = match answer {
        Ok(result) => (200, json!({"ok": true, "result": result})),
        Err((code, description)) => (*code, json!({"ok": false, "error_code": code, "description": description})),
    };
    page(status, body.to_string())
}

fn failed(failure: Failure) -> Response<Full<Bytes>> {
    match failure {
        Failure::TooMany(seconds) => {
            let body = json!({"ok": false, "error_code": 429, "parameters": {"retry_after": seconds},
                "description": format!("Too Many Requests: retry after {seconds}")});
            page(429, body.to_string())
        }
        Failure::Moved(chat) => {
            let body = json!({"ok": false, "error_code": 400, "parameters": {"migrate_to_chat_id": chat},
                "description": "Bad Request: group chat was upgraded to a supergroup chat"});
            page(400, body.to_string())
        }
        Failure::Refused(code, description) => told(&Err((code, description))),
        Failure::Page(status) => page(status, "<html>Bad Gateway</html>".to_owned()),
        _ => page(200, "{\"ok\": true, \"result\": {\"mess".to_owned()),
    }
}

fn page(status: u16, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status.try_into().unwrap();
    response
}
