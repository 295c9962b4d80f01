//! A request that is under way.

use std::sync::Arc;

use hermes_proto::executor::{Answer, Frame, FrameKind, LONGEST_PAYLOAD, RequestId, ToolResult};

use super::inbox::{Inbox, Taken};
use super::script::Step;
use super::{LinkError, Outgoing};

/// Longest piece of input in one frame.
const PIECE: usize = 64 * 1024;

/// The near end of one request. Dropped before its answer, it gives the request up, and
/// the executor ends what it had started for it.
#[derive(Debug)]
pub struct Pending {
    id: RequestId,
    inbox: Arc<Inbox>,
    outgoing: Outgoing,
    is_finished: bool,
}

/// What comes back.
#[derive(Debug)]
pub enum Event {
    Output(Vec<u8>),
    /// The last event.
    Answer(Box<Answer>),
}

impl Pending {
    pub(super) fn new(id: RequestId, inbox: Arc<Inbox>, outgoing: Outgoing) -> Self {
        Self { id, inbox, outgoing, is_finished: false }
    }

    /// The next event. Safe to be dropped while waiting: nothing is lost.
    pub async fn next(&mut self) -> Result<Event, LinkError> {
        match self.step().await? {
            Step::Output(bytes) => Ok(Event::Output(bytes)),
            Step::Answer(answer) => Ok(Event::Answer(answer)),
            // The inbox of such a request takes none.
            Step::Call(_) => Err(LinkError::Unexpected { kind: FrameKind::ToolCall, request: self.id }),
        }
    }

    pub(super) async fn step(&mut self) -> Result<Step, LinkError> {
        match self.inbox.take().await {
            Taken::Output(bytes) => {
                self.send(Frame::credit(self.id, bytes.len() as u32));
                Ok(Step::Output(bytes))
            }
            Taken::Call(call) => Ok(Step::Call(call)),
            Taken::Answer(bytes) => {
                self.is_finished = true;
                let answer = serde_json::from_slice(&bytes);
                answer.map(Step::Answer).map_err(|error| LinkError::Decode { detail: error.to_string() })
            }
            Taken::Failed(error) => {
                self.is_finished = true;
                Err(error)
            }
        }
    }

    /// The answer; output that comes before it is let go.
    pub async fn answer(mut self) -> Result<Answer, LinkError> {
        loop {
            if let Event::Answer(answer) = self.next().await? {
                return Ok(*answer);
            }
        }
    }

    /// Sends what came of a call, if it is still waited for. One result is one frame.
    pub(super) fn give(&self, result: &ToolResult) -> Result<(), LinkError> {
        let payload = super::json(result)?;
        if payload.len() > LONGEST_PAYLOAD {
            return Err(LinkError::Encode { detail: format!("result of {} bytes is too long", payload.len()) });
        }
        if self.inbox.close_call(result.call) {
            self.send(Frame::new(FrameKind::ToolResult, self.id, payload));
        }
        Ok(())
    }

    /// A handle for the input of the request.
    pub fn input(&self) -> Input {
        Input { id: self.id, inbox: self.inbox.clone(), outgoing: self.outgoing.clone() }
    }

    /// Asks the executor to end what it started for this request; the answer still comes.
    pub fn cancel(&self) {
        self.tell(FrameKind::Cancel);
    }

    /// A frame that says all by its kind.
    pub(super) fn tell(&self, kind: FrameKind) {
        self.send(Frame::new(kind, self.id, []));
    }

    fn send(&self, frame: Frame) {
        // A writer that has ended has told the table, and the table tells the request.
        let _ = self.outgoing.send(frame);
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_finished {
            self.cancel();
        }
    }
}

/// The input of a request: sent as far as the executor takes it.
#[derive(Debug)]
pub struct Input {
    id: RequestId,
    inbox: Arc<Inbox>,
    outgoing: Outgoing,
}

impl Input {
    /// Sends all of it, waiting for credit. Stops when the request has ended.
    pub async fn send(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let Some(now) = self.inbox.take_input_credit(bytes.len().min(PIECE)).await else { return };
            let (piece, rest) = bytes.split_at(now);
            let _ = self.outgoing.send(Frame::new(FrameKind::Data, self.id, piece));
            bytes = rest;
        }
    }

    /// Sends at once what goes before all else: at most the window that a fresh request has.
    pub(crate) fn send_first(&self, bytes: &[u8]) {
        self.inbox.spend_input_credit(bytes.len());
        for piece in bytes.chunks(PIECE) {
            let _ = self.outgoing.send(Frame::new(FrameKind::Data, self.id, piece));
        }
    }

    /// Tells the command that there is no more.
    pub fn finish(&self) {
        let _ = self.outgoing.send(Frame::new(FrameKind::EndOfInput, self.id, []));
    }
}
