//! The asking end. It waits, and gives up when the time is over; the desk notices that by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hermes_agent::{Answer, PendingAnswer, Person};
use hermes_proto::Secret;
use hermes_proto::consent::{Approver, Consent, ConsentRequest, PendingConsent, PendingSecret, Reach, SecretRequest};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::desk::{Asked, Desk, Question, QuestionView, ReplyTo};
use crate::tty::is_interactive;

/// Questions on their way to the desk; whoever asks one more waits, within the patience of the question.
const WAITING: usize = 16;

/// An approver for turns, and the desk where its questions arrive. Nobody is reached when there is no terminal.
pub fn approvals() -> (Arc<TerminalApprover>, Desk) {
    let (sender, receiver) = mpsc::channel(WAITING);
    let reach = if is_interactive() { Reach::Person } else { Reach::Nobody };
    (Arc::new(TerminalApprover { sender, reach, next: AtomicU64::new(0) }), Desk::new(receiver))
}

/// Asks the person at the terminal.
#[derive(Debug)]
pub struct TerminalApprover {
    sender: mpsc::Sender<Question>,
    reach: Reach,
    next: AtomicU64,
}

impl TerminalApprover {
    /// Puts a question and waits for its answer: `Err` says why there is none.
    async fn put<T>(
        &self,
        asked: Asked,
        patience: Duration,
        reply: oneshot::Sender<T>,
        answer: oneshot::Receiver<T>,
    ) -> Result<T, Unanswered>
    where
        ReplyTo: From<oneshot::Sender<T>>,
    {
        if self.reach() == Reach::Nobody {
            return Err(Unanswered::Undeliverable);
        }
        let deadline = Instant::now() + patience;
        let view = QuestionView { number: self.next.fetch_add(1, Ordering::Relaxed), asked, deadline };
        let waiting = async {
            let question = Question { view, reply: ReplyTo::from(reply) };
            self.sender.send(question).await.map_err(|_| Unanswered::Undeliverable)?;
            answer.await.map_err(|_| Unanswered::Closed)
        };
        tokio::time::timeout_at(deadline, waiting).await.unwrap_or(Err(Unanswered::TimedOut))
    }
}

enum Unanswered {
    Undeliverable,
    TimedOut,
    /// The desk was closed while the question waited.
    Closed,
}

impl Approver for TerminalApprover {
    fn reach(&self) -> Reach {
        if self.sender.is_closed() { Reach::Nobody } else { self.reach }
    }

    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            match self.put(Asked::Consent(request.clone()), request.patience, reply, answer).await {
                Ok(consent) => consent,
                Err(Unanswered::Undeliverable) => Consent::Undeliverable,
                Err(Unanswered::TimedOut) => Consent::TimedOut,
                Err(Unanswered::Closed) => Consent::Cancelled,
            }
        })
    }

    fn ask_secret<'a>(&'a self, request: &'a SecretRequest) -> PendingSecret<'a> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel::<Option<Secret>>();
            self.put(Asked::Secret(request.clone()), request.patience, reply, answer).await.ok().flatten()
        })
    }
}

/// Asks the person at the terminal what was meant, at the same desk.
#[derive(Debug, Clone)]
pub struct TerminalPerson {
    approver: Arc<TerminalApprover>,
    patience: Duration,
}

impl TerminalPerson {
    /// A person who has this long to answer.
    pub fn new(approver: Arc<TerminalApprover>, patience: Duration) -> Self {
        Self { approver, patience }
    }
}

impl Person for TerminalPerson {
    fn clarify<'a>(&'a self, question: &'a hermes_agent::Question) -> PendingAnswer<'a> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            let asked = Asked::Meaning(question.clone());
            match self.approver.put(asked, self.patience, reply, answer).await {
                Ok(answer) => answer,
                Err(Unanswered::Undeliverable) => Answer::Nobody,
                Err(Unanswered::TimedOut) => Answer::TimedOut,
                Err(Unanswered::Closed) => Answer::Cancelled,
            }
        })
    }
}

#[cfg(test)]
impl TerminalApprover {
    /// As if there were a person, for tests without a terminal.
    pub(crate) fn reaching_a_person() -> (Arc<Self>, Desk) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Arc::new(Self { sender, reach: Reach::Person, next: AtomicU64::new(0) }), Desk::new(receiver))
    }
}
