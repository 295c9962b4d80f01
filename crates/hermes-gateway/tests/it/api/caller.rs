//! A caller who speaks HTTP/1.1 over a socket, and nothing that a library would hide.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::ground::PATIENCE;

#[derive(Clone)]
pub(crate) struct Caller {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) text: String,
}

/// An event of a stream.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) id: Option<u64>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// An answer that goes on.
pub(crate) struct Stream {
    reader: BufReader<TcpStream>,
    pub(crate) head: Answer,
    unread: String,
}

impl Caller {
    pub(crate) fn of(address: SocketAddr) -> Self {
        Self { address, headers: Vec::new() }
    }

    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.push((name.to_owned(), value.to_owned()));
        Self { address: self.address, headers }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.call("POST", path, Some(body)).await
    }

    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let mut stream = self.open(method, path, body).await;
        while let Some(piece) = stream.piece().await {
            stream.head.text.push_str(&piece);
        }
        stream.head
    }

    /// Sends a request and reads the head of its answer.
    pub(crate) async fn open(&self, method: &str, path: &str, body: Option<Value>) -> Stream {
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        for (name, value) in &self.headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        tokio::time::timeout(PATIENCE, Stream::read(stream)).await.expect("no answer")
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body, if it was answered like this.
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        self.json()
    }

    /// The code of an error that was answered like this.
    pub(crate) fn refused(&self, status: u16) -> String {
        self.expect(status)["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Stream {
    async fn read(stream: TcpStream) -> Self {
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).await.unwrap();
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let header =
            |line: &String| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
        let head = Answer { status, headers: lines[1..].iter().filter_map(header).collect(), text: String::new() };
        Self { reader, head, unread: String::new() }
    }

    /// The next piece of the body; nothing at its end.
    async fn piece(&mut self) -> Option<String> {
        let is_chunked = self.head.header("transfer-encoding").is_some();
        if !is_chunked {
            let mut rest = Vec::new();
            self.reader.read_to_end(&mut rest).await.unwrap();
            return Some(String::from_utf8(rest).unwrap()).filter(|rest| !rest.is_empty());
        }
        let mut size = String::new();
        self.reader.read_line(&mut size).await.ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
        let mut piece = vec![0; size + 2];
        self.reader.read_exact(&mut piece).await.ok()?;
        piece.truncate(size);
        Some(String::from_utf8(piece).unwrap())
    }

    /// The next event; nothing when the stream has ended.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        let next = async {
            loop {
                if let Some((block, rest)) = self.unread.split_once("\n\n") {
                    let (event, rest) = (parse(block), rest.to_owned());
                    self.unread = rest;
                    match event {
                        Some(event) => return Some(event),
                        None => continue,
                    }
                }
                let piece = self.piece().await?;
                self.unread.push_str(&piece);
            }
        };
        tokio::time::timeout(PATIENCE, next).await.expect("no event")
    }

    /// The next event of this name, passing over others.
    pub(crate) async fn until(&mut self, name: &str) -> Event {
        loop {
            let event = self.event().await.unwrap_or_else(|| panic!("the stream ended before {name}"));
            if event.name == name {
                return event;
            }
        }
    }

    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.event().await {
            events.push(event);
        }
        events
    }
}

/// An event; nothing for a sign of life.
fn parse(block: &str) -> Option<Event> {
    let field =
        |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned());
    let data = field("data:")?;
    Some(Event {
        id: field("id:").and_then(|id| id.parse().ok()),
        name: field("event:").unwrap_or_default(),
        data: serde_json::from_str(&data).unwrap(),
    })
}
