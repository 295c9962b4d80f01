//! A run as callers see it, and what is kept of it.

use hermes_approval::PromptId;
use hermes_proto::consent::Scope;
use hermes_proto::message::Usage;
use hermes_store::Time;
use hermes_store::runs::{Run, RunState};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::usage as tokens;
use crate::Question;

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Queued,
    Running,
    WaitingForApproval,
    Completed,
    Failed,
    Cancelled,
}

impl Status {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::WaitingForApproval => "waiting_for_approval",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunError {
    pub(super) code: String,
    pub(super) message: String,
}

/// What is known about a run besides its state; on disk as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Detail {
    pub(super) session: Option<String>,
    pub(super) model: Option<String>,
    pub(super) output: Option<String>,
    /// The output was longer than what is kept.
    pub(super) is_cut: bool,
    pub(super) usage: Option<Usage>,
    pub(super) end: Option<String>,
    pub(super) error: Option<RunError>,
}

/// Everything that is told about a run.
#[derive(Debug, Clone)]
pub(super) struct RunView {
    pub(super) id: String,
    pub(super) status: Status,
    pub(super) created: Time,
    pub(super) ended: Option<Time>,
    pub(super) detail: Detail,
    pub(super) questions: Vec<OpenQuestion>,
}

impl RunView {
    /// A run that is only on disk.
    pub(super) fn kept(run: Run) -> Self {
        let mut detail: Detail = serde_json::from_str(&run.detail).unwrap_or_default();
        let status = match run.state {
            RunState::Open => Status::Queued,
            RunState::Completed => Status::Completed,
            RunState::Cancelled => Status::Cancelled,
            RunState::Failed => Status::Failed,
            RunState::Interrupted => {
                let message = "the gateway died while it worked on this run; what was done so far is kept";
                detail.error = Some(RunError { code: "interrupted".to_owned(), message: message.to_owned() });
                Status::Failed
            }
        };
        Self { id: run.id, status, created: run.created, ended: run.ended, detail, questions: Vec::new() }
    }

    pub(super) fn to_json(&self) -> Value {
        let Detail { session, model, output, is_cut, usage, end, error } = &self.detail;
        json!({
            "id": self.id,
            "object": "hermes.run",
            "run_id": self.id,
            "status": self.status.name(),
            "created_at": seconds(self.created),
            "ended_at": self.ended.map(seconds),
            "session_id": session,
            "model": model,
            "output": output,
            "output_truncated": is_cut,
            "usage": usage.as_ref().map(tokens::of_response),
            "end_reason": end,
            "error": error,
            "approvals": self.questions.iter().map(OpenQuestion::to_json).collect::<Vec<_>>(),
        })
    }

    /// The event that tells its end, for those who come after it.
    pub(super) const fn last_event(&self) -> &'static str {
        match self.status {
            Status::Completed => "run.completed",
            Status::Cancelled => "run.cancelled",
            Status::Failed => "run.failed",
            Status::Queued | Status::Running | Status::WaitingForApproval => "run.status",
        }
    }
}

pub(in crate::platforms::api) fn seconds(time: Time) -> i64 {
    time.microseconds().div_euclid(1_000_000)
}

/// A question of a run that nobody has answered yet.
#[derive(Debug, Clone)]
pub(super) struct OpenQuestion {
    pub(super) id: PromptId,
    told: Value,
}

impl OpenQuestion {
    pub(super) fn of(question: &Question) -> Self {
        let request = &question.request;
        let offer =
            |offer: &hermes_proto::consent::Offer| json!({"choice": offer.scope.name(), "allows": offer.allows});
        let mut choices: Vec<_> = request.offers.iter().map(offer).collect();
        choices.push(json!({"choice": DENY, "allows": "nothing"}));
        let told = json!({
            "id": question.id.as_str(),
            "kind": request.kind,
            "action": request.action,
            "place": request.place,
            "reasons": request.findings.iter().map(|finding| &finding.reason).collect::<Vec<_>>(),
            "choices": choices,
            "expires_in": question.remaining.as_secs(),
        });
        Self { id: question.id.clone(), told }
    }

    pub(super) fn to_json(&self) -> Value {
        self.told.clone()
    }
}

pub(super) const DENY: &str = "deny";

/// What a choice allows; nothing for a denial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Choice {
    Once,
    Session,
    Always,
    Deny,
}

impl Choice {
    pub(super) const fn scope(self) -> Option<Scope> {
        match self {
            Self::Once => Some(Scope::Once),
            Self::Session => Some(Scope::Session),
            Self::Always => Some(Scope::Always),
            Self::Deny => None,
        }
    }
}
