//! The life of a command, from its request to its answer.
//!
//! Four things can happen at any moment and none may wait for another: output comes, the shell
//! ends, the time is over, the runtime gives up. Input is written on the side.

use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{Answer, CommandEnd, Frame, RequestFailure, RunCommand};
use hermes_sandbox::warden::{Report, StartStep};
use tokio::time::{Instant, sleep_until};

use super::begin::{NotBegun, Running, begin};
use super::tell::{self, Told};
use crate::requests::OpenRequest;
use crate::session::Session;
use crate::state::{Dump, read_dump};
use crate::stream::Stream;
use crate::wardens::Guarded;

/// Far enough to mean never, near enough for the clock's arithmetic.
const NEVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How a command's shell came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    ByItself(CommandEnd, i32),
    TimedOut,
    Interrupted,
    /// Its warden was killed, and everything with it.
    Lost,
    NotStarted(String),
}

/// Runs a command to its end.
pub(crate) async fn run(session: Rc<Session>, command: RunCommand, request: Rc<OpenRequest>) -> Answer {
    let started = Instant::now();
    let _busy = session.next_shell.begin();
    let mut running = match begin(&session, &command, &request) {
        Ok(running) => running,
        Err(NotBegun::NoDirectory(reason)) => return tell::no_directory(&session, reason),
        Err(NotBegun::Failed(failure)) => return Answer::Failed(failure),
    };
    let deadline = started + command.timeout_ms.map_or(NEVER, Duration::from_millis).min(NEVER);
    let input = write_input(running.input.take(), &session, &request);
    let over = tokio::select! {
        over = watch(&running, deadline, &request) => over,
        never = async { input.await; std::future::pending().await } => never,
    };
    let Over { ending, state } = over;
    if let Ending::NotStarted(detail) = ending {
        return Answer::Failed(RequestFailure::CannotStart { detail });
    }
    let mut notes = running.notes;
    if matches!(ending, Ending::ByItself(..))
        && let Some(left) = state.or_else(|| read_dump(&running.memory)).and_then(|dump| dump.left)
    {
        notes.extend(session.state.borrow_mut().learn(&running.before, left, running.moves));
    }
    let told = Told { ending, timeout_ms: command.timeout_ms, duration: started.elapsed(), notes };
    tell::result(&session, running.output.finish(), told)
}

/// A command whose shell came to its end.
struct Over {
    ending: Ending,
    /// What it left, if that told of the end.
    state: Option<Dump>,
}

impl From<Ending> for Over {
    fn from(ending: Ending) -> Self {
        Self { ending, state: None }
    }
}

/// Waits for the first of the four, and makes sure that it is the end.
async fn watch(running: &Running, deadline: Instant, request: &OpenRequest) -> Over {
    let interrupted = async {
        tokio::select! {
            () = request.cancelled.cancelled() => Ending::Interrupted,
            () = sleep_until(deadline) => Ending::TimedOut,
        }
    };
    tokio::pin!(interrupted);
    let over = tokio::select! {
        biased;
        ending = &mut interrupted => ending.into(),
        over = over(running) => over,
    };
    match over.ending {
        Ending::ByItself(..) => tokio::select! {
            biased;
            // The runtime does not take the rest; it is in the result as far as that goes.
            _ = &mut interrupted => running.output.drain(),
            () = running.output.pump_rest() => {}
        },
        Ending::Interrupted | Ending::TimedOut => {
            pumped_until(running, running.guarded.end()).await;
            running.output.drain();
        }
        Ending::Lost => {
            running.guarded.gone().await;
            running.output.drain();
        }
        Ending::NotStarted(_) => {}
    }
    over
}

/// Waits for the command to be over: its shell has ended, or has left its state with a status and
/// closed its outputs, which nobody else holds. What is then still to come is the kernel's work.
async fn over(running: &Running) -> Over {
    let shell_end = shell_end(&running.guarded);
    tokio::pin!(shell_end);
    tokio::select! {
        biased;
        ending = &mut shell_end => return ending.into(),
        () = running.output.pump() => {}
    }
    let state = read_dump(&running.memory);
    match state.as_ref().and_then(|dump| dump.status) {
        Some(status) => Over { ending: Ending::ByItself(CommandEnd::Exited, status.into()), state },
        None => shell_end.await.into(),
    }
}

/// Reads output while something else is waited for.
async fn pumped_until<T>(running: &Running, event: impl Future<Output = T>) -> T {
    tokio::pin!(event);
    tokio::select! {
        biased;
        outcome = &mut event => outcome,
        () = running.output.pump() => event.await,
    }
}

async fn shell_end(guarded: &Guarded) -> Ending {
    let mut failure = None;
    loop {
        match guarded.report().await {
            Some(Report::Started { .. }) => {}
            Some(Report::Failed { step, error }) => failure = Some(describe(step, error)),
            Some(Report::Exited { code }) => {
                return failure.map_or(Ending::ByItself(CommandEnd::Exited, code), Ending::NotStarted);
            }
            Some(Report::Signalled { signal }) => {
                return Ending::ByItself(CommandEnd::Signalled { signal }, 128 + signal);
            }
            None => return failure.map_or(Ending::Lost, Ending::NotStarted),
        }
    }
}

/// What went wrong between the fork and the shell.
pub(crate) fn describe(step: StartStep, error: i32) -> String {
    let doing = match step {
        StartStep::Fork => "no process for it",
        StartStep::Descriptors => "its descriptors cannot be placed",
        StartStep::Directory => "its directory cannot be entered",
        StartStep::Terminal => "its terminal cannot be taken",
        StartStep::Execute => "bash cannot be executed",
    };
    format!("{doing}: {}", std::io::Error::from_raw_os_error(error))
}

/// Writes what the runtime sends, as fast as the command reads it.
async fn write_input(stream: Option<Stream>, session: &Session, request: &OpenRequest) {
    let Some(stream) = stream else { return };
    while let Some(bytes) = request.input.next().await {
        if stream.write_all(&bytes).await.is_err() {
            // The command does not read any more. What comes from now on is for nobody.
            return request.input.end();
        }
        request.input.reopen(bytes.len());
        let granted = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        session.outbox.send(Frame::credit(request.id, granted)).await;
    }
}
