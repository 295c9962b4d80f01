//! The least of HTTP that a benchmark needs: one connection, kept open, one request at a time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use anyhow::{Context as _, ensure};

#[derive(Debug)]
pub(super) struct Connection {
    host: String,
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Names in small letters.
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Connection {
    /// To `host:port`.
    pub(super) fn open(host: &str) -> anyhow::Result<Self> {
        let writer = TcpStream::connect(host).with_context(|| format!("connect to {host}"))?;
        writer.set_nodelay(true).context("no delay")?;
        let reader = BufReader::new(writer.try_clone().context("a second handle")?);
        Ok(Self { host: host.to_owned(), reader, writer })
    }

    /// Posts JSON with these additional headers.
    pub(super) fn post(&mut self, path: &str, headers: &[(&str, &str)], body: &str) -> anyhow::Result<Answer> {
        let mut request = format!("POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", self.host);
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        self.writer.write_all(request.as_bytes()).context("send a request")?;
        self.answer()
    }

    fn answer(&mut self) -> anyhow::Result<Answer> {
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).context("a status line")?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        match answer.header("content-length").map(str::parse) {
            Some(length) => self.take(length.context("a length")?, &mut answer.body)?,
            None => self.chunks(&mut answer.body)?,
        }
        Ok(answer)
    }

    fn chunks(&mut self, body: &mut Vec<u8>) -> anyhow::Result<()> {
        loop {
            let line = self.line()?;
            let length = u64::from_str_radix(line.trim(), 16).with_context(|| format!("a chunk's length {line:?}"))?;
            self.take(length, body)?;
            self.line()?;
            if length == 0 {
                return Ok(());
            }
        }
    }

    fn take(&mut self, length: u64, body: &mut Vec<u8>) -> anyhow::Result<()> {
        let read = (&mut self.reader).take(length).read_to_end(body).context("read a body")?;
        ensure!(read as u64 == length, "the server hung up");
        Ok(())
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        ensure!(self.reader.read_line(&mut line).context("read a line")? > 0, "the server hung up");
        Ok(line.trim_end().to_owned())
    }
}
