//! Agents that agents start: a task, a context of their own, fewer tools, and the same person to ask.
//!
//! A child is never more than its parent: its tools are some of the parent's, its questions reach the parent's person and
//! nobody else, that person's secrets do not reach it, and it ends when the parent's turn does.

mod child;
mod observed;

use std::sync::{Arc, Mutex, PoisonError};

use hermes_model::Model;
use hermes_proto::consent::{Approver, Consent, ConsentRequest, PendingConsent, Reach, Scope};
use hermes_proto::message::Usage;
use hermes_store::sessions::SessionId;
use tokio::task::JoinSet;
use tracing::Instrument;

use crate::agent::Agent;
use crate::registry::{Registry, Toolset};
use crate::session::{Depth, Session};
use crate::tool::{Tool, ToolContext};

pub use child::{ChildReport, ChildStatus};

/// A piece of work for a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub goal: String,
    /// What the child has to know; it sees nothing of the parent's conversation.
    pub context: String,
    /// The tools it may use, at most the parent's; all of them if none are named.
    pub toolsets: Vec<Toolset>,
}

/// The right to start children. A session that may not has none.
#[derive(Debug, Clone)]
pub struct Delegation {
    agent: Agent,
    parent: SessionId,
    model: Arc<dyn Model>,
    tools: Registry,
    depth: Depth,
    spent: Spent,
}

/// What children cost, added up for the turn that started them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spent(Arc<Mutex<Usage>>);

impl Spent {
    pub(crate) fn total(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, usage: Usage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += usage;
    }
}

impl Delegation {
    /// What this session may do; `None` if it is as deep as agents may start agents.
    pub(crate) fn of(agent: &Agent, session: &Session, spent: &Spent) -> Option<Self> {
        let may = session.depth.0 < agent.parts.config.delegation.max_spawn_depth;
        may.then(|| Self {
            agent: agent.clone(),
            parent: session.id.clone(),
            model: agent.parts.models.delegation.as_ref().unwrap_or(&session.model).clone(),
            tools: session.tools.clone(),
            depth: Depth(session.depth.0 + 1),
            spent: spent.clone(),
        })
    }

    /// How many children may work at once.
    pub fn most_children(&self) -> usize {
        usize::try_from(self.agent.parts.config.delegation.max_concurrent_children.max(1)).unwrap_or(usize::MAX)
    }

    /// The groups of tools that children may be given.
    pub fn toolsets(&self) -> Vec<Toolset> {
        let allowed = self.allowed();
        Toolset::ALL.into_iter().filter(|set| allowed.iter().any(|tool| tool.toolset() == *set)).collect()
    }

    /// Does all tasks beside each other, and reports on each in their order. One that fails does not disturb the others.
    pub async fn run(&self, context: &ToolContext, tasks: Vec<Task>) -> Vec<ChildReport> {
        let mut children = JoinSet::new();
        let goals: Vec<String> = tasks.iter().map(|task| task.goal.clone()).collect();
        for (index, task) in tasks.into_iter().enumerate() {
            let (delegation, context) = (self.clone(), context.clone());
            let work = async move { (index, delegation.child(&context, index, task).await) };
            children.spawn(work.in_current_span());
        }
        let mut reports: Vec<Option<ChildReport>> = goals.iter().map(|_| None).collect();
        while let Some(joined) = children.join_next().await {
            match joined {
                Ok((index, report)) => {
                    self.spent.add(report.usage);
                    reports[index] = Some(report);
                }
                Err(error) => tracing::error!(%error, "a delegated task broke"),
            }
        }
        reports.into_iter().map(|report| report.unwrap_or_else(ChildReport::broken)).collect()
    }

    /// The tools that children may be given.
    fn allowed(&self) -> Registry {
        let may_delegate = self.depth.0 < self.agent.parts.config.delegation.max_spawn_depth;
        self.tools.narrowed(|tool: &dyn Tool| match tool.toolset() {
            // Nobody expects a child's question, and memories speak to every later session.
            Toolset::Clarify | Toolset::Memory => false,
            Toolset::Delegation => may_delegate,
            _ => true,
        })
    }
}

/// Says yes for people who wrote `delegation.subagent_auto_approve: true`. The floor and the deny list stand.
#[derive(Debug)]
struct ApprovedByConfiguration;

impl Approver for ApprovedByConfiguration {
    fn reach(&self) -> Reach {
        Reach::Person
    }

    fn ask<'a>(&'a self, _request: &'a ConsentRequest) -> PendingConsent<'a> {
        Box::pin(std::future::ready(Consent::Approved(Scope::Once)))
    }
}
