//! The tool calls of a running script: from its socket up the link, and the results back.
//!
//! One call at a time on a connection, several connections at once. Dropping [`serve`] closes them
//! all: a script that has ended, or has to, is not listened to any more.

use std::convert::Infallible;
use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{Frame, FrameKind, MOST_CALLS_AT_ONCE};
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::gate::{Gate, LONGEST_LINE, Refusal, Refused};
use super::peer;
use crate::link::Outbox;
use crate::requests::OpenRequest;

/// Kept of a line's memory between two calls.
const KEPT_CAPACITY: usize = 16 * 1024;
/// When no connection can be taken, for want of descriptors, the next attempt comes after this.
const BREATH: Duration = Duration::from_millis(50);

/// Whose calls these are.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) gate: Gate,
    pub(super) request: Rc<OpenRequest>,
    pub(super) outbox: Outbox,
    /// The root of the script's process tree.
    pub(super) warden: i32,
}

/// What stands on the line that answers a call.
#[derive(Debug, Serialize)]
struct Reply {
    id: Option<u64>,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Result(String),
    Error(String),
}

/// Takes connections until it is dropped.
pub(super) async fn serve(listener: UnixListener, calls: Rc<Calls>) -> Infallible {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if peer::check(&stream, calls.warden).is_err() => drop(stream),
                Ok((stream, _)) if connections.len() >= MOST_CALLS_AT_ONCE => turn_away(&stream),
                Ok((stream, _)) => drop(connections.spawn_local(converse(stream, Rc::clone(&calls)))),
                Err(_) => sleep(BREATH).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// A fresh connection has room for a line; if not, it is closed without one.
fn turn_away(stream: &UnixStream) {
    let _ = stream.try_write(&line_of(&refusal(None, &Refusal::TooMany)));
}

async fn converse(mut stream: UnixStream, calls: Rc<Calls>) {
    let (reader, mut writer) = stream.split();
    let mut reader = BufReader::with_capacity(KEPT_CAPACITY, reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(KEPT_CAPACITY);
        let mut bounded = (&mut reader).take(LONGEST_LINE as u64);
        if !matches!(bounded.read_until(b'\n', &mut line).await, Ok(1..)) {
            return;
        }
        let (reply, is_last) = match calls.answer(&line).await {
            Ok(reply) => (reply, false),
            Err(Refused { id, why }) => (refusal(id, &why), why.ends_the_connection()),
        };
        if writer.write_all(&line_of(&reply)).await.is_err() || is_last {
            return;
        }
    }
}

impl Calls {
    async fn answer(&self, line: &[u8]) -> Result<Reply, Refused> {
        if !line.ends_with(b"\n") && line.len() >= LONGEST_LINE {
            return Err(Refused { id: None, why: Refusal::TooLong });
        }
        let admitted = self.gate.admit(line)?;
        let result = self.request.returns.expect(admitted.call);
        self.outbox.send(Frame::new(FrameKind::ToolCall, self.request.id, admitted.payload)).await;
        // Its sender is dropped only with the request, and this with it.
        let outcome = result.await.map_or_else(|_| Outcome::Error("the script has ended".to_owned()), Outcome::Result);
        Ok(Reply { id: admitted.id, outcome })
    }
}

fn refusal(id: Option<u64>, why: &Refusal) -> Reply {
    Reply { id, outcome: Outcome::Error(why.to_string()) }
}

fn line_of(reply: &Reply) -> Vec<u8> {
    // Numbers and text always encode.
    let mut line = serde_json::to_vec(reply).unwrap_or_default();
    line.push(b'\n');
    line
}
