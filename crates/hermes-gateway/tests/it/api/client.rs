//! A client that writes what a test wants it to write, right or wrong.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::ground::{KEY, PATIENCE, Running};

/// An answer, whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }

    /// What an error is about, in OpenAI's shape.
    pub(super) fn error(&self) -> (u16, Option<String>, String) {
        let error = &self.json()["error"];
        assert!(error["type"].is_string() && error["message"].is_string(), "{self:?}");
        let code = error["code"].as_str().unwrap_or_default().to_owned();
        (self.status, error["param"].as_str().map(ToOwned::to_owned), code)
    }

    /// The events of a stream: names and data.
    pub(super) fn events(&self) -> Vec<(String, String)> {
        let field = |block: &str, name: &str| {
            let lines = block.lines().filter_map(|line| line.strip_prefix(name));
            lines.map(|value| value.strip_prefix(' ').unwrap_or(value)).collect::<Vec<_>>().join("\n")
        };
        let blocks = self.body.split("\n\n").filter(|block| block.lines().any(|line| line.starts_with("data:")));
        blocks.map(|block| (field(block, "event:"), field(block, "data:"))).collect()
    }
}

/// A connection on which something was written.
pub(super) struct Exchange(BufReader<TcpStream>);

impl Exchange {
    pub(super) async fn of(running: &Running, bytes: &[u8]) -> Self {
        let address = running.api.as_ref().unwrap().address().await.unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        // It may be refused before all was written.
        let _ = stream.write_all(bytes).await;
        Self(BufReader::new(stream))
    }

    /// Reads until a line holds this.
    pub(super) async fn reads(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            let read = timeout(PATIENCE, self.0.read_line(&mut all)).await.expect("it does not say it");
            assert_ne!(read.unwrap(), 0, "it ended without {text:?}: {all}");
        }
        all
    }

    pub(super) async fn answer(mut self) -> Answer {
        let mut bytes = Vec::new();
        timeout(PATIENCE, self.0.read_to_end(&mut bytes)).await.expect("there is no answer").unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { joined(body) } else { body.to_owned() };
        Answer { status, head: head.to_owned(), body }
    }
}

/// Takes the pieces of a chunked body together.
fn joined(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return whole;
        }
        whole.push_str(&rest[..size]);
        body = &rest[size + 2..];
    }
    panic!("the body was cut off: {whole}")
}

/// A request's bytes.
pub(super) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    text.into_bytes()
}

/// The header of somebody who has the key.
pub(super) fn key() -> (&'static str, String) {
    ("Authorization", format!("Bearer {KEY}"))
}

/// Calls with the key.
pub(super) async fn call(running: &Running, method: &str, path: &str, more: &[(&str, &str)], body: &Value) -> Answer {
    let (name, value) = key();
    let mut headers = vec![(name, value.as_str())];
    headers.extend(more);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    Exchange::of(running, &request(method, path, &headers, &body)).await.answer().await
}

/// One question to `/v1/chat/completions`.
pub(super) async fn chat(running: &Running, more: &[(&str, &str)], text: &str) -> Answer {
    let body = json!({"model": "any", "messages": [{"role": "user", "content": text}]});
    call(running, "POST", "/v1/chat/completions", more, &body).await
}
