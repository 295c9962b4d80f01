//! Takes frames apart and hands them to whom they are for.
//!
//! The peer is trusted to be the runtime but not to be free of mistakes: whatever it sends
//! ends in an answer, in nothing, or in the end of the link with a reason.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::executor::{Answer, FileRequest, Frame, FrameKind, LinkEnd, Request, RequestFailure, RequestId};
use tokio::time::timeout;

use crate::files::Place;
use crate::link::{Incoming, LinkError, Outbox, write_frames};
use crate::requests::{OpenRequest, Refusal, Requests};
use crate::session::{Beginning, Session};
use crate::stream::Stream;
use crate::{command, files, jobs, script, tasks};

/// A peer that broke the protocol may not be reading either.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Serves the link until it closes and everything that does not outlive it has ended.
pub(crate) async fn serve_link(input: Stream, output: Stream, beginning: Beginning) -> Result<(), LinkError> {
    let (outbox, frames) = Outbox::new();
    let session = Rc::new(Session::new(beginning, outbox.clone()).map_err(LinkError::Read)?);
    let mut writing = tasks::spawn(write_frames(frames, output));
    let server = Server { session: Rc::clone(&session), requests: Rc::default() };
    let ended = tokio::select! {
        ended = server.take_frames(Incoming::new(input)) => ended,
        // Nobody reads any more: that is the end too.
        _ = &mut writing => Ok(()),
    };
    if let Err(error) = &ended {
        let end = LinkEnd { reason: error.to_string() };
        let told = async {
            outbox.send_message(FrameKind::End, RequestId::LINK, &end).await;
            // The writer ends when it has written that.
            let _ = (&mut writing).await;
        };
        let _ = timeout(LAST_WORDS, told).await;
    }
    // The runtime sees the link's end when everything that ends with it has ended.
    session.next_shell.close();
    session.wardens.end_with_link().await;
    writing.abort();
    session.wardens.all_gone().await;
    ended
}

struct Server {
    session: Rc<Session>,
    requests: Rc<Requests>,
}

impl Server {
    async fn take_frames(&self, mut incoming: Incoming) -> Result<(), LinkError> {
        while let Some(frame) = incoming.next().await? {
            self.take(frame).await?;
        }
        Ok(())
    }

    async fn take(&self, frame: Frame) -> Result<(), LinkError> {
        match frame.kind {
            FrameKind::Request => self.open(frame).await,
            FrameKind::Data
            | FrameKind::EndOfInput
            | FrameKind::Credit
            | FrameKind::Cancel
            | FrameKind::ToolResult
            | FrameKind::Hold
            | FrameKind::Resume => {
                match self.requests.get(frame.request) {
                    Some(request) => reach(&request, &frame),
                    // One that has just been closed takes no notice.
                    None if self.requests.was_open(frame.request) => Ok(()),
                    None => {
                        self.answer(frame.request, RequestFailure::Unknown).await;
                        Ok(())
                    }
                }
            }
            FrameKind::Handshake
            | FrameKind::Result
            | FrameKind::Notice
            | FrameKind::Part
            | FrameKind::End
            | FrameKind::ToolCall => Err(protocol(format!("frame of kind {:?} has no place here", frame.kind))),
        }
    }

    async fn open(&self, frame: Frame) -> Result<(), LinkError> {
        let id = frame.request;
        let request = match self.requests.open(id, frame.payload.len()) {
            Ok(request) => request,
            Err(Refusal::Duplicate) => return Err(protocol(format!("request {id} was opened twice"))),
            Err(Refusal::Busy(detail)) => {
                self.answer(id, RequestFailure::Busy { detail }).await;
                return Ok(());
            }
        };
        let session = Rc::clone(&self.session);
        let requests = Rc::clone(&self.requests);
        tasks::spawn(async move {
            let answer = answer(Rc::clone(&session), &frame.payload, request).await;
            session.outbox.send_message(FrameKind::Result, id, &answer).await;
            // Not before: a peer that asks and never reads must come to a bound.
            requests.close(id);
            // What is made ahead comes after what is waited for.
            tokio::task::yield_now().await;
            session.next_shell.prepare(&session);
        });
        Ok(())
    }

    /// Whoever sends nonsense waits until he has read what is said about it.
    async fn answer(&self, id: RequestId, failure: RequestFailure) {
        self.session.outbox.send_message(FrameKind::Result, id, &Answer::Failed(failure)).await;
    }
}

/// A frame for a request that is open.
fn reach(request: &OpenRequest, frame: &Frame) -> Result<(), LinkError> {
    match frame.kind {
        FrameKind::Data => {
            let id = request.id;
            let pushed = request.input.push(&frame.payload);
            pushed.map_err(|_| protocol(format!("request {id} got more input than was allowed")))?;
        }
        FrameKind::Credit => {
            let granted = frame.granted().ok_or_else(|| protocol("credit is not four bytes long".to_owned()))?;
            request.credit.grant(granted);
        }
        FrameKind::EndOfInput => request.input.end(),
        FrameKind::ToolResult => {
            let result = serde_json::from_slice(&frame.payload);
            let result =
                result.map_err(|error| protocol(format!("result of a tool call is not understood: {error}")))?;
            request.returns.deliver(result);
        }
        FrameKind::Hold => request.clock.hold(),
        FrameKind::Resume => request.clock.resume(),
        _ => request.cancelled.cancel(),
    }
    Ok(())
}

fn protocol(reason: String) -> LinkError {
    LinkError::Protocol(reason)
}

/// Does what a request asks for, in a task of its own: if that fails, it is the answer.
async fn answer(session: Rc<Session>, payload: &[u8], open: Rc<OpenRequest>) -> Answer {
    let work = match serde_json::from_slice(payload) {
        Ok(Request::Run(request)) => tasks::spawn(command::run(session, request, open)),
        Ok(Request::Job(request)) => tasks::spawn(jobs::handle(session, request, open)),
        Ok(Request::File(request)) => tasks::spawn(handle_file(session, request, open)),
        Ok(Request::Script(request)) => tasks::spawn(script::run(session, request, open)),
        Err(error) => return Answer::Failed(RequestFailure::Invalid { detail: error.to_string() }),
    };
    work.await.unwrap_or_else(|error| Answer::Failed(RequestFailure::Internal { detail: error.to_string() }))
}

/// Files may block, so they are handled on a thread that may.
async fn handle_file(session: Rc<Session>, request: FileRequest, open: Rc<OpenRequest>) -> Answer {
    let directory = session.state.borrow().directory().to_owned();
    let home = session.home();
    let received = Arc::clone(&session.received);
    let cancelled = open.cancelled.clone();
    let work = tokio::task::spawn_blocking(move || {
        let place = Place { working_directory: &directory, home: home.as_deref(), received: Some(&received) };
        files::handle(request, place, &cancelled)
    });
    tokio::select! {
        answer = work => answer.map_or_else(
            |error| Answer::Failed(RequestFailure::Internal { detail: error.to_string() }),
            Answer::File,
        ),
        () = open.cancelled.cancelled() => Answer::Failed(RequestFailure::Cancelled),
    }
}
