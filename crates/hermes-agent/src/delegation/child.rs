//! One child, from its task to its report.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_proto::message::Usage;
use hermes_proto::turn::TurnContext;
use hermes_store::sessions::NewSession;

use super::observed::Retold;
use super::{ApprovedByConfiguration, Delegation, Task};
use crate::agent::Audience;
use crate::prompt;
use crate::session::{Budget, Manner, Session};
use crate::tool::ToolContext;
use crate::turn::{EndReason, TurnEnd, TurnError, UserInput};

/// How a child's work went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildStatus {
    Completed,
    /// Its budget was used up first.
    OutOfBudget,
    Interrupted,
    Failed,
}

impl ChildStatus {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::OutOfBudget => "max_iterations",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}

/// What a child says it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildReport {
    pub status: ChildStatus,
    /// The child's own words, or why there are none.
    pub summary: String,
    pub rounds: u32,
    pub usage: Usage,
    pub duration: Duration,
}

impl ChildReport {
    /// The report of a child that cannot give one.
    pub(super) fn broken() -> Self {
        Self::failed("the child broke, which is a bug and not the task's fault".to_owned(), Duration::ZERO)
    }

    fn failed(summary: String, duration: Duration) -> Self {
        Self { status: ChildStatus::Failed, summary, rounds: 0, usage: Usage::default(), duration }
    }

    fn of(end: TurnEnd, duration: Duration) -> Self {
        let status = match end.reason {
            EndReason::Answered => ChildStatus::Completed,
            EndReason::MaxTurns => ChildStatus::OutOfBudget,
            EndReason::Interrupted | EndReason::TimedOut => ChildStatus::Interrupted,
            EndReason::Stuck { .. } | EndReason::Empty | EndReason::Filtered => ChildStatus::Failed,
        };
        let summary = if end.answer.trim().is_empty() { "the child said nothing".to_owned() } else { end.answer };
        Self { status, summary, rounds: end.rounds, usage: end.usage, duration }
    }
}

impl Delegation {
    pub(super) async fn child(&self, context: &ToolContext, index: usize, task: Task) -> ChildReport {
        let begun = Instant::now();
        let turn = self.turn(&context.turn);
        match self.work(context, index, task, &turn).await {
            Ok(end) => ChildReport::of(end, begun.elapsed()),
            Err(error) => ChildReport::failed(error.to_string(), begun.elapsed()),
        }
    }

    /// The parent's turn as far as a child may have it.
    fn turn(&self, parent: &TurnContext) -> TurnContext {
        if self.agent.parts.config.delegation.subagent_auto_approve {
            return parent.delegated_to(Arc::new(ApprovedByConfiguration));
        }
        parent.delegated()
    }

    async fn work(
        &self,
        context: &ToolContext,
        index: usize,
        task: Task,
        turn: &TurnContext,
    ) -> Result<TurnEnd, TurnError> {
        let mut session = self.session(&task);
        let observer = Retold::new(context.observer.clone(), context.call.clone(), index);
        let audience = Audience::watching(Arc::new(observer));
        let input = UserInput::text(instructions(&task));
        // A turn that starts turns has to know its own size.
        let ended = Box::pin(self.agent.turn(&mut session, turn, input, &audience)).await;
        session.workshop.close().await;
        ended
    }

    fn session(&self, task: &Task) -> Session {
        let allowed = self.allowed();
        let tools = match task.toolsets.as_slice() {
            [] => allowed,
            wanted => allowed.narrowed(|tool| wanted.contains(&tool.toolset())),
        };
        let mut new = NewSession::from("delegate");
        new.parent = Some(self.parent.clone());
        let budget = Budget(self.agent.parts.config.delegation.max_iterations.max(1));
        let manner = Manner { model: self.model.clone(), tools, depth: self.depth, budget };
        self.agent.begun(new, prompt::for_child(&self.agent.parts), manner)
    }
}

fn instructions(task: &Task) -> String {
    match task.context.trim() {
        "" => format!("Your task:\n{}", task.goal.trim()),
        context => format!("Your task:\n{}\n\nWhat you should know:\n{context}", task.goal.trim()),
    }
}
