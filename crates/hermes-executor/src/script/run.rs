//! The life of a script, from its request to its answer.
//!
//! At its end, whatever the reason, it is first not listened to any more, then everything that it
//! started ends, then its folder goes, and only then is it told: nothing of it can speak afterwards.

use std::convert::Infallible;
use std::future::pending;
use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{Answer, RequestFailure, RunScript, ScriptResult, ScriptStatus};
use tokio::time::{Instant, sleep, timeout};

use super::begin::{Running, begin};
use super::calls::serve;
use super::captured::{Captured, Text};
use super::launch::{GRACE, ProcessEnd, process_end};
use crate::requests::OpenRequest;
use crate::session::Session;
use crate::wardens::Guarded;

/// Far enough to mean never, near enough for the clock's arithmetic.
const NEVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// After this a tree that was asked to end is killed: one that is hindered, or has been interrupted.
const HINDERED: Duration = Duration::from_secs(3);
const INTERRUPTED: Duration = Duration::from_secs(1);
/// Who was about to end anyway has done so after this.
const LEAVES_WITHIN: Duration = Duration::from_millis(250);

const EXIT_TIMED_OUT: i32 = 124;
const EXIT_INTERRUPTED: i32 = 130;
const KILLED: i32 = 9;

/// How a script came to its end.
#[derive(Debug)]
enum Ending {
    ByItself(ProcessEnd),
    TimedOut,
    Interrupted,
}

/// Runs a script to its end.
pub(crate) async fn run(session: Rc<Session>, script: RunScript, request: Rc<OpenRequest>) -> Answer {
    let started = Instant::now();
    // A script gets less than a command's environment, and must not find one waiting.
    let _busy = session.next_shell.begin();
    session.next_shell.end().await;
    let limit = Duration::from_millis(script.limits.timeout_ms).min(NEVER);
    let running = match begin(&session, script, &request).await {
        Ok(running) => running,
        Err(failure) => return Answer::Failed(failure),
    };
    let Running { staging, listener, calls, guarded, output, errors, mut notes } = running;
    let ending = tokio::select! {
        biased;
        () = request.cancelled.cancelled() => Ending::Interrupted,
        () = request.clock.has_run(limit.saturating_sub(started.elapsed())) => Ending::TimedOut,
        end = process_end(&guarded) => Ending::ByItself(end),
        never = serve(listener, Rc::clone(&calls)) => match never {},
        never = pump(&output, &errors) => match never {},
    };
    // Listener and connections are closed; whoever still calls is refused by the kernel.
    notes.extend(tokio::select! {
        biased;
        note = end_tree(&guarded, calls.warden, &ending) => note,
        never = pump(&output, &errors) => match never {},
    });
    notes.extend(staging.remove().await);
    let tool_calls_made = calls.gate.made();
    tell(
        ending,
        Told { output: output.finish(), errors: errors.finish(), tool_calls_made, duration: started.elapsed(), notes },
    )
}

/// Reads both outputs for as long as it is wanted.
async fn pump(output: &Captured, errors: &Captured) -> Infallible {
    tokio::join!(output.pump(), errors.pump());
    pending().await
}

/// Ends all that the script started; what the person should know about it.
async fn end_tree(guarded: &Guarded, warden: i32, ending: &Ending) -> Option<String> {
    match ending {
        Ending::TimedOut => end_politely(guarded).await,
        Ending::Interrupted => guarded.end_within(INTERRUPTED).await,
        Ending::ByItself(ProcessEnd::Lost) => {
            guarded.gone().await;
            return Some("the process that guards the script was killed; all that it started was ended".to_owned());
        }
        Ending::ByItself(_) => {
            if has_children(warden) && timeout(LEAVES_WITHIN, guarded.gone()).await.is_err() {
                guarded.end_within(INTERRUPTED).await;
                return Some("what the script left running was ended".to_owned());
            }
            guarded.end().await;
        }
    }
    None
}

/// Whether the warden of a script that has ended still guards somebody. All whom the script left are its children
/// since that moment. A kernel that does not tell may have some.
fn has_children(warden: i32) -> bool {
    match std::fs::read(format!("/proc/{warden}/task/{warden}/children")) {
        Ok(children) => !children.trim_ascii().is_empty(),
        // It is gone, or the kernel keeps no such list.
        Err(_) => true,
    }
}

/// The script itself gets its grace. What it left when it ended was not asked one by one, and gets less.
async fn end_politely(guarded: &Guarded) {
    let script_ended = async {
        process_end(guarded).await;
        sleep(INTERRUPTED).await;
    };
    tokio::select! {
        () = guarded.end_within(GRACE + HINDERED) => {}
        () = script_ended => guarded.end_within(Duration::ZERO).await,
    }
}

/// A script that is over, but for how it ended.
#[derive(Debug)]
struct Told {
    output: Text,
    errors: Text,
    tool_calls_made: u32,
    duration: Duration,
    notes: Vec<String>,
}

fn tell(ending: Ending, told: Told) -> Answer {
    let (status, exit_code) = match ending {
        Ending::ByItself(ProcessEnd::NotStarted(detail)) => {
            return Answer::Failed(RequestFailure::NoScript { detail });
        }
        Ending::ByItself(ProcessEnd::Exited(0)) => (ScriptStatus::Success, 0),
        Ending::ByItself(ProcessEnd::Exited(code)) => (ScriptStatus::Error, code),
        Ending::ByItself(ProcessEnd::Signalled(signal)) => (ScriptStatus::Error, 128 + signal),
        Ending::ByItself(ProcessEnd::Lost) => (ScriptStatus::Error, 128 + KILLED),
        Ending::TimedOut => (ScriptStatus::Timeout, EXIT_TIMED_OUT),
        Ending::Interrupted => (ScriptStatus::Interrupted, EXIT_INTERRUPTED),
    };
    let Told { output, errors, tool_calls_made, duration, notes } = told;
    Answer::Script(ScriptResult {
        status,
        output: output.text,
        errors: errors.text,
        exit_code,
        tool_calls_made,
        duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        output_bytes: output.total,
        omitted_output_bytes: output.omitted,
        error_bytes: errors.total,
        omitted_error_bytes: errors.omitted,
        notes,
    })
}
