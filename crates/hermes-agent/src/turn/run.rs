//! Runs the tools of one answer: beside each other where they are independent, and every call comes to an end.
//!
//! A tool that panics, hangs or is interrupted leaves a result like any other. Each runs in a task of its own that this
//! turn owns and waits for.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use hermes_proto::message::ToolCall;
use serde_json::json;
use tokio::task::{Id, JoinError, JoinSet};
use tracing::Instrument;

use super::calls::{Checked, Plan};
use super::stop::{stopped, stopping};
use crate::event::{ToolOutcome, TurnEvent};
use crate::tool::{Arguments, Schedule, ToolContext, ToolReply};

/// Tools that run at once.
const MOST_AT_ONCE: usize = 8;
/// How long interrupted tools may take to clean up.
const GRACE: Duration = Duration::from_secs(5);

/// Runs the calls, and answers in their order. `context` makes what a call works with.
pub(super) async fn run(calls: &[Checked], context: &(dyn Fn(&ToolCall) -> ToolContext + Sync)) -> Vec<ToolReply> {
    let mut replies: Vec<Option<ToolReply>> = calls.iter().map(|_| None).collect();
    for batch in batches(calls) {
        let mut running = Running { calls, context, tasks: JoinSet::new(), started: Vec::new() };
        running.all(batch, &mut replies).await;
    }
    replies.into_iter().map(|reply| reply.unwrap_or_else(interrupted)).collect()
}

/// The indexes of calls that may run beside each other, in order.
fn batches(calls: &[Checked]) -> Vec<Vec<usize>> {
    let mut batches: Vec<(Schedule, Vec<usize>)> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        match (call.schedule(), batches.last_mut()) {
            (Schedule::Beside, Some((Schedule::Beside, batch))) => batch.push(index),
            (schedule, _) => batches.push((schedule, vec![index])),
        }
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}

/// What an interrupted call answers.
fn interrupted() -> ToolReply {
    let content = json!({"error": "interrupted by the user before it was done"});
    ToolReply { outcome: ToolOutcome::Interrupted, content, summary: "interrupted".to_owned(), diff: None }
}

struct Running<'a> {
    calls: &'a [Checked],
    context: &'a (dyn Fn(&ToolCall) -> ToolContext + Sync),
    tasks: JoinSet<ToolReply>,
    started: Vec<Started>,
}

/// A call that runs.
struct Started {
    task: Id,
    index: usize,
    at: Instant,
    context: ToolContext,
}

impl Running<'_> {
    async fn all(&mut self, batch: Vec<usize>, replies: &mut [Option<ToolReply>]) {
        let mut waiting: VecDeque<usize> = batch.into();
        loop {
            while self.tasks.len() < MOST_AT_ONCE {
                let Some(index) = waiting.pop_front() else { break };
                self.start(index, replies);
            }
            let Some(turn) = self.started.first().map(|started| started.context.turn.clone()) else { return };
            tokio::select! {
                biased;
                Some(joined) = self.tasks.join_next_with_id() => self.ended(joined, replies),
                _ = stopping(&turn) => {
                    return self.stop(replies).await;
                }
            }
        }
    }

    fn start(&mut self, index: usize, replies: &mut [Option<ToolReply>]) {
        let checked = &self.calls[index];
        let context = (self.context)(&checked.call);
        if stopped(&context.turn).is_some() {
            return;
        }
        let preview = match &checked.plan {
            Plan::Run { tool, arguments } => tool.preview(arguments),
            Plan::Reject { .. } => "cannot be run".to_owned(),
        };
        let (call, tool) = (checked.call.id.clone(), checked.call.name.clone());
        context.observer.saw(TurnEvent::ToolStarted { call, tool, preview });
        let at = Instant::now();
        match &checked.plan {
            Plan::Run { tool, arguments } => {
                let (tool, arguments, own) = (tool.clone(), Arguments(arguments.clone()), context.clone());
                let work = async move { tool.run(&own, arguments).await }.in_current_span();
                let task = self.tasks.spawn(work).id();
                self.started.push(Started { task, index, at, context });
            }
            Plan::Reject { error } => {
                let reply = ToolReply::failed(error);
                self.tell(&context, index, at, &reply);
                replies[index] = Some(reply);
            }
        }
    }

    fn ended(&mut self, joined: Result<(Id, ToolReply), JoinError>, replies: &mut [Option<ToolReply>]) {
        let (task, reply) = match joined {
            Ok((task, reply)) => (task, reply),
            Err(error) => (error.id(), broken(error)),
        };
        let Some(position) = self.started.iter().position(|started| started.task == task) else { return };
        let Started { index, at, context, .. } = self.started.swap_remove(position);
        self.tell(&context, index, at, &reply);
        replies[index] = Some(reply);
    }

    /// Interrupted tools know it through their turn and get time to end what they started; then they are dropped.
    async fn stop(&mut self, replies: &mut [Option<ToolReply>]) {
        let grace = tokio::time::sleep(GRACE);
        tokio::pin!(grace);
        loop {
            tokio::select! {
                biased;
                joined = self.tasks.join_next_with_id() => match joined {
                    Some(joined) => self.ended(joined, replies),
                    None => return,
                },
                () = &mut grace => break,
            }
        }
        self.tasks.abort_all();
        // One that does not even wait for anything cannot be dropped; its permits end with the turn.
        let all = async {
            while let Some(joined) = self.tasks.join_next_with_id().await {
                self.ended(joined, replies);
            }
        };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            self.tasks.detach_all();
        }
    }

    fn tell(&self, context: &ToolContext, index: usize, at: Instant, reply: &ToolReply) {
        let call = &self.calls[index].call;
        context.observer.saw(TurnEvent::ToolFinished {
            call: call.id.clone(),
            tool: call.name.clone(),
            outcome: reply.outcome,
            summary: reply.summary.clone(),
            diff: reply.diff.clone(),
            duration: at.elapsed(),
        });
    }
}

/// What a task that gave no reply answers.
fn broken(error: JoinError) -> ToolReply {
    let Ok(panic) = error.try_into_panic() else { return interrupted() };
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    // The payload may panic once more when it is dropped.
    let _ = std::panic::catch_unwind(AssertUnwindSafe(|| drop(panic)));
    tracing::error!(panic = %text, "a tool panicked");
    ToolReply::failed(format!("the tool broke, which is a bug of the tool and not of the call: {text}"))
}
