//! One command of a caller, from its start to its result: frames of the caller on one side,
//! the running command on the other.
//!
//! Output is taken from the executor only as fast as the caller takes it, and input from the caller only
//! as fast as the executor does: what waits here is at most a window in each direction.

use std::sync::Arc;

use hermes_proto::executor::{Answer, Frame, FrameKind, RequestFailure, RequestId, encode_message};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::credit::Credit;
use super::input::InputQueue;
use crate::link::{Event, Input};
use crate::running::RunningCommand;

/// Longest frame of output: other commands of the caller get their turn after it.
const PIECE: usize = 64 * 1024;

/// The answer in place of one that cannot be written down.
const NOT_ENCODED: &[u8] = br#"{"failed":{"failure":"internal","detail":"answer cannot be encoded"}}"#;

/// The way to the caller.
pub(super) type Outgoing = mpsc::Sender<Frame>;

/// A request as the reader of the connection knows it.
#[derive(Debug)]
pub(super) struct OpenRequest {
    pub(super) id: RequestId,
    pub(super) cancellation: CancellationToken,
    pub(super) credit: Credit,
    pub(super) input: InputQueue,
    /// Whether the caller wants output as it comes.
    pub(super) streams_output: bool,
}

/// Follows the command to its end, and sends its result.
pub(super) async fn follow(running: RunningCommand, request: Arc<OpenRequest>, outgoing: Outgoing) {
    let input = running.input();
    let answer = tokio::select! {
        answer = pass_output(running, &request, &outgoing) => answer,
        never = pass_input(input, &request, &outgoing) => match never {},
    };
    send_answer(&outgoing, request.id, &answer).await;
}

/// Sends the result of a request.
pub(super) async fn send_answer(outgoing: &Outgoing, id: RequestId, answer: &Answer) {
    // Nothing in an answer can fail to be encoded; were it so, the caller must not wait for ever.
    let message = serde_json::to_vec(answer).unwrap_or_else(|_| NOT_ENCODED.to_vec());
    for frame in encode_message(FrameKind::Result, id, &message) {
        // A caller that is gone needs no answer.
        let _ = outgoing.send(frame).await;
    }
}

async fn pass_output(mut running: RunningCommand, request: &OpenRequest, outgoing: &Outgoing) -> Answer {
    let mut is_interrupted = false;
    let is_streamed = request.streams_output;
    loop {
        let event = tokio::select! {
            event = running.next() => event,
            () = request.cancellation.cancelled(), if !is_interrupted => {
                is_interrupted = true;
                running.interrupt();
                continue;
            }
        };
        match event {
            // The result has it, as far as that goes; whoever gave up may not take it any more.
            Ok(Event::Output(_)) if is_interrupted || !is_streamed => {}
            Ok(Event::Output(bytes)) => tokio::select! {
                () = deliver(&bytes, request, outgoing) => {}
                () = request.cancellation.cancelled() => {
                    is_interrupted = true;
                    running.interrupt();
                }
            },
            Ok(Event::Answer(answer)) => return *answer,
            Err(error) => return Answer::Failed(RequestFailure::Internal { detail: error.to_string() }),
        }
    }
}

async fn deliver(mut bytes: &[u8], request: &OpenRequest, outgoing: &Outgoing) {
    while !bytes.is_empty() {
        let now = request.credit.take(bytes.len().min(PIECE)).await;
        let (piece, rest) = bytes.split_at(now);
        let _ = outgoing.send(Frame::new(FrameKind::Data, request.id, piece)).await;
        bytes = rest;
    }
}

/// What never comes: the end of the input is not the end of the command.
enum Never {}

async fn pass_input(input: Input, request: &OpenRequest, outgoing: &Outgoing) -> Never {
    while let Some(bytes) = request.input.next().await {
        input.send(&bytes).await;
        request.input.reopen(bytes.len());
        let granted = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let _ = outgoing.send(Frame::credit(request.id, granted)).await;
    }
    input.finish();
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::NOT_ENCODED;
    use hermes_proto::executor::{Answer, RequestFailure};

    #[test]
    fn the_answer_of_last_resort_is_one() {
        let answer = serde_json::from_slice(NOT_ENCODED).unwrap();
        assert!(matches!(answer, Answer::Failed(RequestFailure::Internal { .. })), "{answer:?}");
    }
}
