//! A script that has been started, up to its result.
//!
//! Each of its tool calls comes out here and is dispatched by the caller, in the turn that started the
//! script: there is no other context it could be given. The executor holds the script to what it was
//! offered; but commands run beside the executor, so what comes from there is held to it again.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use hermes_approval::{Action, Judged, Ticket};
use hermes_proto::consent::ActionKind;
use hermes_proto::executor::{Answer, CallId, RunScript, ScriptLimits, ScriptMode, ScriptResult, ScriptTool, ToolCall};
use hermes_proto::turn::TurnContext;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::link::{Link, LinkError, PendingScript, Step};
use crate::outcome;
use crate::redeemed::Redeemed;

/// What a script may not ask of the terminal: all of it would outlive the call, or talk to a person past the script.
const NOT_FOR_SCRIPTS: [&str; 7] =
    ["background", "pty", "notify_on_complete", "watch_patterns", "notify", "heartbeat", "persist_on_release"];

/// A script as a tool gives it.
#[derive(Debug, Clone)]
pub struct Script {
    pub code: String,
    pub mode: ScriptMode,
    /// What it may call. None means none.
    pub tools: Vec<ScriptTool>,
    /// Names of variables that it sees although they would be left out.
    pub passthrough: Vec<String>,
    /// The zone of its clock; `None` leaves that of the commands.
    pub time_zone: Option<String>,
    pub limits: ScriptLimits,
}

impl Script {
    /// One that may call these tools, with the usual limits, in the session's own directory.
    pub fn new(code: impl Into<String>, tools: impl Into<Vec<ScriptTool>>) -> Self {
        Self {
            code: code.into(),
            mode: ScriptMode::Project,
            tools: tools.into(),
            passthrough: Vec::new(),
            time_zone: None,
            limits: ScriptLimits::default(),
        }
    }
}

impl Action for Script {
    fn kind(&self) -> ActionKind {
        ActionKind::Script
    }

    fn shown(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.code)
    }

    fn judged(&self) -> Judged<'_> {
        Judged::Script { code: &self.code }
    }
}

/// A started script. Dropped, it is given up, and everything it started ends.
#[derive(Debug)]
pub struct RunningScript {
    pending: PendingScript,
    offered: Vec<ScriptTool>,
    calls_left: u32,
    cancellation: CancellationToken,
    is_interrupted: bool,
    /// Taken when its end is recorded.
    ticket: Option<Ticket>,
}

/// What a script does next.
#[derive(Debug)]
pub enum ScriptEvent {
    /// It calls a tool and waits; several threads of it may wait at once.
    Call { id: CallId, tool: ScriptTool, arguments: Map<String, Value> },
    /// The last event.
    Finished(Box<ScriptResult>),
}

impl RunningScript {
    /// Starts the script over a link, in this turn, whose deadline it keeps.
    pub(crate) fn begin(
        link: &Link,
        turn: &TurnContext,
        redeemed: Redeemed<Script>,
        environment: Vec<(String, String)>,
    ) -> Result<Self, LinkError> {
        let Redeemed { action: script, ticket, .. } = redeemed;
        let (offered, calls_left) = (script.tools.clone(), script.limits.tool_calls);
        let begun = link.request_script(turn, request(turn, script, environment));
        let pending = match begun {
            Ok(pending) => pending,
            Err(error) => {
                ticket.ended(format!("not started: {error}"));
                return Err(error);
            }
        };
        let cancellation = turn.cancellation().clone();
        Ok(Self { pending, offered, calls_left, cancellation, is_interrupted: false, ticket: Some(ticket) })
    }

    /// What it does next. A cancelled turn interrupts it; its result still comes. Safe to be dropped
    /// while waiting.
    pub async fn next(&mut self) -> Result<ScriptEvent, LinkError> {
        loop {
            let step = tokio::select! {
                step = self.pending.next() => step?,
                () = self.cancellation.cancelled(), if !self.is_interrupted => {
                    self.interrupt();
                    continue;
                }
            };
            match step {
                Step::Output(_) => {}
                Step::Call(call) => {
                    if let Some(event) = self.admit(call) {
                        return Ok(event);
                    }
                }
                Step::Answer(answer) => return self.finished(*answer),
            }
        }
    }

    fn finished(&mut self, answer: Answer) -> Result<ScriptEvent, LinkError> {
        let (outcome, event) = match answer {
            Answer::Script(result) => (outcome::of_script(&result), Ok(ScriptEvent::Finished(Box::new(result)))),
            Answer::Failed(failure) => (format!("failed: {failure}"), Err(LinkError::Failed(failure))),
            _ => ("link lost".to_owned(), Err(LinkError::WrongAnswer)),
        };
        if let Some(ticket) = self.ticket.take() {
            ticket.ended(outcome);
        }
        event
    }

    /// Gives the script the result of a call. One that nobody waits for any more is let go.
    pub fn answer(&self, id: CallId, result: String) {
        self.pending.answer(id, result);
    }

    /// Its time stands still: somebody is asked on its behalf, and how long that takes is not its fault.
    pub fn hold(&self) {
        self.pending.hold();
    }

    /// Its time goes on.
    pub fn resume(&self) {
        self.pending.resume();
    }

    /// Asks for its end. No call comes after this; the result still does.
    pub fn interrupt(&mut self) {
        self.is_interrupted = true;
        self.pending.cancel();
    }

    /// Only what was offered, only as often, and without what a script may not ask for.
    fn admit(&mut self, call: ToolCall) -> Option<ScriptEvent> {
        let ToolCall { call: id, tool, mut arguments } = call;
        if self.is_interrupted {
            return None;
        }
        if self.calls_left == 0 || !self.offered.contains(&tool) {
            tracing::warn!(tool = tool.name(), "an executor passed on a call that it had to refuse");
            self.answer(id, r#"{"error": "this tool call is not allowed"}"#.to_owned());
            return None;
        }
        self.calls_left -= 1;
        if tool == ScriptTool::Terminal {
            for name in NOT_FOR_SCRIPTS {
                arguments.shift_remove(name);
            }
        }
        Some(ScriptEvent::Call { id, tool, arguments })
    }
}

/// The request for a script in this turn, whose deadline it keeps.
fn request(turn: &TurnContext, script: Script, environment: Vec<(String, String)>) -> RunScript {
    let until_deadline = turn.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let timeout_ms = script.limits.timeout_ms.min(until_deadline.map_or(u64::MAX, milliseconds));
    RunScript {
        code: script.code,
        environment,
        passthrough: script.passthrough,
        time_zone: script.time_zone,
        mode: script.mode,
        tools: script.tools,
        limits: ScriptLimits { timeout_ms, ..script.limits },
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
