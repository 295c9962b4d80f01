//! A run that this process works on, or has worked on a moment ago.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_agent::{Observer, SessionId, ToolOutcome, TurnEvent};
use hermes_approval::PromptId;
use hermes_proto::consent::Consent;
use hermes_proto::session::SessionKey;
use hermes_store::Time;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::events::{Batch, Events, LONGEST_TEXT, cut};
use super::run::{Detail, OpenQuestion, RunView, Status};
use crate::{Identifier, Question};

/// Who may watch one run at once.
const MOST_WATCHERS: usize = 16;
/// Questions of which is remembered that they were settled.
const MOST_SETTLED: usize = 64;

/// A run at work.
#[derive(Debug)]
pub(in crate::platforms::api) struct LiveRun {
    pub(super) id: Identifier,
    /// Whose it is.
    pub(super) owner: String,
    pub(super) key: SessionKey,
    created: Time,
    /// Somebody wants it to end.
    pub(in crate::platforms::api) stop: CancellationToken,
    watchers: Arc<Semaphore>,
    progress: Mutex<Progress>,
    /// The number of the newest event, and whether it was the last.
    told: watch::Sender<Told>,
}

/// What readers wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Told {
    pub(super) newest: u64,
    pub(super) is_over: bool,
}

#[derive(Debug)]
struct Progress {
    status: Status,
    ended: Option<Time>,
    detail: Detail,
    events: Events,
    questions: Vec<OpenQuestion>,
    settled: Vec<PromptId>,
}

/// How a question of a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Open,
    Settled,
    Unknown,
}

impl LiveRun {
    pub(in crate::platforms::api) fn new(id: Identifier, owner: String, key: SessionKey) -> Self {
        let progress = Progress {
            status: Status::Queued,
            ended: None,
            detail: Detail::default(),
            events: Events::default(),
            questions: Vec::new(),
            settled: Vec::new(),
        };
        let run = Self {
            id,
            owner,
            key,
            created: Time::now(),
            stop: CancellationToken::new(),
            watchers: Arc::new(Semaphore::new(MOST_WATCHERS)),
            progress: Mutex::new(progress),
            told: watch::Sender::new(Told::default()),
        };
        run.tell("run.created", json!({"status": Status::Queued.name()}), |_| {});
        run
    }

    pub(super) fn view(&self) -> RunView {
        let progress = self.progress();
        RunView {
            id: self.id.to_string(),
            status: progress.status,
            created: self.created,
            ended: progress.ended,
            detail: progress.detail.clone(),
            questions: progress.questions.clone(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.told.borrow().is_over
    }

    /// The turn has begun, in this session.
    pub(super) fn began(&self, session: &SessionId) {
        self.tell("run.started", json!({"session_id": session.as_str()}), |progress| {
            progress.status = Status::Running;
            progress.detail.session = Some(session.to_string());
        });
    }

    /// It is over, and that is on disk.
    pub(super) fn ended(&self, status: Status, detail: Detail) {
        let mut progress = self.progress();
        progress.status = status;
        progress.ended = Some(Time::now());
        progress.detail = detail;
        progress.questions.clear();
        drop(progress);
        let view = self.view();
        let mut told = view.to_json();
        if let Some(told) = told.as_object_mut() {
            told.retain(|name, _| name != "id" && name != "object" && name != "approvals");
        }
        self.tell(view.last_event(), told, |_| {});
        self.told.send_modify(|told| told.is_over = true);
    }

    pub(super) fn asked(&self, question: &Question) {
        let open = OpenQuestion::of(question);
        self.tell("approval.request", json!({"approval": open.to_json()}), |progress| {
            progress.status = Status::WaitingForApproval;
            progress.questions.push(open);
        });
    }

    /// A question is no longer open; whether it was one of this run's.
    pub(super) fn settled(&self, id: &PromptId, outcome: &Consent) -> bool {
        if self.standing(id) != Standing::Open {
            return false;
        }
        let (name, scope) = match outcome {
            Consent::Approved(scope) => ("approved", Some(scope.name())),
            Consent::Denied { .. } => ("denied", None),
            Consent::TimedOut => ("timed_out", None),
            Consent::Cancelled => ("cancelled", None),
            Consent::Undeliverable => ("undeliverable", None),
        };
        self.tell("approval.closed", json!({"id": id.as_str(), "outcome": name, "scope": scope}), |progress| {
            progress.questions.retain(|open| open.id != *id);
            if progress.settled.len() == MOST_SETTLED {
                progress.settled.remove(0);
            }
            progress.settled.push(id.clone());
            if progress.questions.is_empty() && progress.status == Status::WaitingForApproval {
                progress.status = Status::Running;
            }
        });
        true
    }

    pub(super) fn standing(&self, id: &PromptId) -> Standing {
        let progress = self.progress();
        if progress.questions.iter().any(|open| open.id == *id) {
            Standing::Open
        } else if progress.settled.contains(id) {
            Standing::Settled
        } else {
            Standing::Unknown
        }
    }

    /// A place among those who watch.
    pub(super) fn watcher(&self) -> Option<OwnedSemaphorePermit> {
        self.watchers.clone().try_acquire_owned().ok()
    }

    pub(super) fn after(&self, seen: u64) -> Batch {
        self.progress().events.after(seen)
    }

    pub(super) fn news(&self) -> watch::Receiver<Told> {
        self.told.subscribe()
    }

    fn tell(&self, kind: &'static str, mut data: Value, change: impl FnOnce(&mut Progress)) {
        if let Some(data) = data.as_object_mut() {
            data.insert("event".to_owned(), json!(kind));
            data.insert("run_id".to_owned(), json!(self.id.as_str()));
            data.insert("timestamp".to_owned(), json!(super::run::seconds(Time::now())));
        }
        let mut progress = self.progress();
        change(&mut progress);
        progress.events.push(kind, &data);
        let newest = progress.events.last();
        drop(progress);
        self.told.send_modify(|told| told.newest = told.newest.max(newest));
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for LiveRun {
    fn saw(&self, event: TurnEvent) {
        let short = |text: &str| cut(text, LONGEST_TEXT).0.to_owned();
        let (kind, data) = match event {
            TurnEvent::Text { delta } => ("message.delta", json!({"delta": delta})),
            TurnEvent::Reasoning { delta } => ("reasoning.delta", json!({"delta": delta})),
            TurnEvent::Restarted { reason } => ("message.restarted", json!({"reason": short(&reason)})),
            TurnEvent::ToolStarted { call, tool, preview } => {
                ("tool.started", json!({"call_id": call.as_str(), "tool": tool, "preview": short(&preview)}))
            }
            TurnEvent::ToolFinished { call, tool, outcome, summary, duration, .. } => (
                "tool.finished",
                json!({
                    "call_id": call.as_str(),
                    "tool": tool,
                    "outcome": outcome_name(outcome),
                    "summary": short(&summary),
                    "duration": duration.as_secs_f64(),
                }),
            ),
            TurnEvent::Notice { text } => ("notice", json!({"text": short(&text)})),
            TurnEvent::Compressed { before, after } => {
                ("context.compressed", json!({"before": before, "after": after}))
            }
            TurnEvent::Thinking { .. } | TurnEvent::ToolOutput { .. } | TurnEvent::Used { .. } => return,
        };
        self.tell(kind, data, |_| {});
    }
}

const fn outcome_name(outcome: ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Done => "done",
        ToolOutcome::Failed => "failed",
        ToolOutcome::Refused => "refused",
        ToolOutcome::Interrupted => "interrupted",
    }
}
