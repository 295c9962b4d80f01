//! One caller: takes its frames apart and hands them to whom they are for.
//!
//! A caller is a program of this user, which says nothing about its mistakes: whatever it sends
//! ends in an answer, in nothing, or in the end of this one connection with a reason.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hermes_approval::Guard;
use hermes_proto::executor::{
    Answer, Frame, FrameKind, LinkEnd, Request, RequestFailure, RequestId, RunCommand, encode_message,
};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Hosting};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::credit::Credit;
use super::follow::{OpenRequest, Outgoing, follow, send_answer};
use super::incoming::{ConnectionError, Incoming};
use super::input::InputQueue;
use super::lease::Lease;
use super::sessions::arrived;
use crate::CommandText;
use crate::environment::Environment;

/// Requests of one caller at once.
const MOST_REQUESTS: usize = 16;
/// Frames that wait to be written; each is at most a quarter of a megabyte.
const WAITING_FRAMES: usize = 4;
/// What an interrupted command may take to end and its result to be taken.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// A caller that is attached to its session.
pub(super) struct Caller<'a> {
    pub(super) lease: &'a Lease,
    pub(super) environment: &'a Environment,
    pub(super) hosting: &'a Hosting,
    pub(super) guard: &'a Guard,
    /// The holder ends.
    pub(super) ending: CancellationToken,
}

struct Connection<'a> {
    caller: Caller<'a>,
    outgoing: Outgoing,
    open: HashMap<RequestId, Arc<OpenRequest>>,
    last: u32,
    following: JoinSet<RequestId>,
}

/// Serves the caller until it closes the connection, breaks the rules, or the holder ends. Its commands
/// end with it.
pub(super) async fn serve(
    caller: Caller<'_>,
    mut incoming: Incoming<impl AsyncRead + Unpin>,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), ConnectionError> {
    let (outgoing, frames) = mpsc::channel(WAITING_FRAMES);
    let mut writing = JoinSet::new();
    writing.spawn(write(writer, frames));
    let ending = caller.ending.clone();
    let mut connection = Connection { caller, outgoing, open: HashMap::new(), last: 0, following: JoinSet::new() };
    let (ended, reason) = tokio::select! {
        ended = connection.take_frames(&mut incoming) => {
            let reason = ended.as_ref().err().map(ToString::to_string);
            (ended, reason)
        }
        // Nobody reads any more: that is the end too.
        _ = writing.join_next() => (Ok(()), None),
        () = ending.cancelled() => {
            let _ = timeout(LAST_WORDS, connection.followed_to_the_end()).await;
            (Ok(()), Some("it was told to".to_owned()))
        }
    };
    if let Some(reason) = reason {
        let _ = timeout(LAST_WORDS, connection.say_goodbye(reason, writing)).await;
    }
    ended
}

impl Connection<'_> {
    async fn take_frames(&mut self, incoming: &mut Incoming<impl AsyncRead + Unpin>) -> Result<(), ConnectionError> {
        loop {
            tokio::select! {
                frame = incoming.next() => match frame? {
                    Some(frame) => self.take(frame).await?,
                    None => return Ok(()),
                },
                Some(followed) = self.following.join_next() => {
                    let id = followed.map_err(|error| protocol(format!("request was lost: {error}")))?;
                    self.open.remove(&id);
                }
            }
        }
    }

    async fn take(&mut self, frame: Frame) -> Result<(), ConnectionError> {
        let id = frame.request;
        match frame.kind {
            FrameKind::Request => self.open(frame).await,
            FrameKind::Data | FrameKind::EndOfInput | FrameKind::Credit | FrameKind::Cancel => {
                match self.open.get(&id) {
                    Some(request) => reach(request, &frame),
                    // One that has just been answered takes no notice.
                    None if id != RequestId::LINK && id.0 <= self.last => Ok(()),
                    None => Err(protocol(format!("request {id} is not open"))),
                }
            }
            kind => Err(protocol(format!("frame of kind {kind:?} has no place here"))),
        }
    }

    async fn open(&mut self, frame: Frame) -> Result<(), ConnectionError> {
        let id = frame.request;
        if id.0 <= self.last {
            return Err(protocol(format!("request {id} does not come after {}", RequestId(self.last))));
        }
        self.last = id.0;
        let answer = if self.open.len() >= MOST_REQUESTS {
            Answer::Failed(RequestFailure::Busy { detail: format!("{MOST_REQUESTS} requests of one caller") })
        } else {
            match self.begin(id, &frame.payload) {
                Ok(()) => return Ok(()),
                Err(failure) => Answer::Failed(failure),
            }
        };
        // Whoever asks in vain waits until he has read so.
        send_answer(&self.outgoing, id, &answer).await;
        Ok(())
    }

    fn begin(&mut self, id: RequestId, payload: &[u8]) -> Result<(), RequestFailure> {
        let invalid = |detail: String| RequestFailure::Invalid { detail };
        let command = match serde_json::from_slice(payload) {
            Ok(Request::Run(command)) => command,
            Ok(_) => return Err(invalid("in a held session only commands can be run".to_owned())),
            Err(error) => return Err(invalid(error.to_string())),
        };
        let Caller { lease, environment, hosting, guard, ending } = &self.caller;
        let cancellation = ending.child_token();
        let turn = arrived(hosting, cancellation.clone())
            .bind([(SessionVariable::Key, lease.key().to_string())], Delivery::Unsupported);
        let (stdin, streams_output) = (command.stdin, command.streams_output);
        // Behind the socket is the person who typed it: floor and deny list stand, and nobody is asked.
        let permit = guard.permit_typed(&turn, &environment.place(), text_of(command));
        let permit = permit.map_err(|refusal| RequestFailure::Refused { message: refusal.for_person() })?;
        let running = environment.begin(&turn, permit, stdin);
        let running = running.map_err(|error| RequestFailure::Internal { detail: error.to_string() })?;
        let (credit, input) = (Credit::new(), InputQueue::new());
        let request = Arc::new(OpenRequest { id, cancellation, credit, input, streams_output });
        self.open.insert(id, request.clone());
        let outgoing = self.outgoing.clone();
        self.following.spawn(async move {
            follow(running, request, outgoing).await;
            id
        });
        Ok(())
    }

    async fn followed_to_the_end(&mut self) {
        while self.following.join_next().await.is_some() {}
    }

    /// Says why the connection ends, and waits until that is written.
    async fn say_goodbye(self, reason: String, mut writing: JoinSet<()>) {
        let Self { outgoing, following, .. } = self;
        drop(following);
        let end = serde_json::to_vec(&LinkEnd { reason }).unwrap_or_default();
        for frame in encode_message(FrameKind::End, RequestId::LINK, &end) {
            let _ = outgoing.send(frame).await;
        }
        drop(outgoing);
        writing.join_next().await;
    }
}

/// What the caller asks for. Its idea of the environment does not count: that is the turn's.
fn text_of(command: RunCommand) -> CommandText {
    CommandText {
        text: command.command,
        working_directory: command.working_directory,
        timeout: command.timeout_ms.map(Duration::from_millis),
        limits: command.limits,
        first_input: None,
    }
}

/// A frame for a request that is open.
fn reach(request: &OpenRequest, frame: &Frame) -> Result<(), ConnectionError> {
    let id = request.id;
    match frame.kind {
        FrameKind::Data => {
            let pushed = request.input.push(&frame.payload);
            pushed.map_err(|_| protocol(format!("request {id} got more input than was allowed")))?;
        }
        FrameKind::Credit => {
            let granted = frame.granted().ok_or_else(|| protocol("credit is not four bytes long".to_owned()))?;
            request.credit.grant(granted);
        }
        FrameKind::EndOfInput => request.input.end(),
        _ => request.cancellation.cancel(),
    }
    Ok(())
}

fn protocol(reason: String) -> ConnectionError {
    ConnectionError::Protocol(reason)
}

/// Writes frames as they come, several at a time when they wait.
async fn write(mut writer: impl AsyncWrite + Unpin, mut frames: mpsc::Receiver<Frame>) {
    let mut waiting = Vec::with_capacity(WAITING_FRAMES);
    let mut bytes = Vec::new();
    while frames.recv_many(&mut waiting, WAITING_FRAMES).await > 0 {
        bytes.clear();
        waiting.drain(..).for_each(|frame| frame.encode(&mut bytes));
        let written = async {
            writer.write_all(&bytes).await?;
            writer.flush().await
        };
        if written.await.is_err() {
            return;
        }
    }
}
