//! Waiting for the answer to one question.
//!
//! No task of its own: whoever waits drives the delivery, the heartbeat and the deadline, and giving up is dropping the
//! future. If the one who was showing the question gives up, another who waits for the same one shows it.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::consent::{Approver, Consent, ConsentRequest, PendingConsent, Reach};
use hermes_proto::session::SessionKey;
use tokio::sync::watch;
use tokio::time::{Instant, interval_at, sleep_until};

use super::queue::{Full, Joined, Question, Stage};
use super::{Authorised, Broker, Notifier, PromptId};

/// Between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// The longest that a question waits, whatever is configured: about a year.
const LONGEST_PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

/// The people of one turn.
#[derive(Debug)]
pub(super) struct SessionApprover {
    pub(super) broker: Broker,
    pub(super) session: SessionKey,
    pub(super) notifier: Arc<dyn Notifier>,
    pub(super) authorised: Authorised,
}

impl Approver for SessionApprover {
    fn reach(&self) -> Reach {
        Reach::Person
    }

    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a> {
        Box::pin(async move {
            match self.enter(request) {
                Ok(joined) => self.wait(request, joined).await,
                Err(cause) => {
                    tracing::warn!(session = %self.session, cause, "a question could not be put");
                    Consent::Undeliverable
                }
            }
        })
    }
}

impl SessionApprover {
    fn enter(&self, request: &ConsentRequest) -> Result<Joined, &'static str> {
        const TOO_MANY: &str = "too many questions wait already";
        let id = PromptId::random().map_err(|_| "the kernel gives no random number")?;
        let mut queues = self.broker.queues();
        if let Some(joined) = queues.join(&self.session, request, &self.authorised).map_err(|Full| TOO_MANY)? {
            return Ok(joined);
        }
        let question = Question {
            id,
            request: request.clone(),
            authorised: self.authorised.clone(),
            notifier: self.notifier.clone(),
            deadline: Instant::now() + request.patience.min(LONGEST_PATIENCE),
            stage: watch::Sender::new(Stage::Unseen),
            waiters: vec![request.request.clone()],
        };
        queues.push(&self.session, question).map_err(|Full| TOO_MANY)
    }

    async fn wait(&self, request: &ConsentRequest, joined: Joined) -> Consent {
        let Joined { id, deadline, stage } = joined;
        let _leaving = Leaving { approver: self, id: &id, waiter: &request.request };
        tokio::select! {
            biased;
            consent = settled(stage.clone()) => consent,
            consent = self.deliver(&id, stage.clone()) => consent,
            () = self.beat(&id) => Consent::Cancelled,
            () = sleep_until(deadline) => self.end(&id, Consent::TimedOut, &stage),
        }
    }

    /// Shows the question as soon as nobody else does; never ends unless that fails.
    async fn deliver(&self, id: &PromptId, mut stage: watch::Receiver<Stage>) -> Consent {
        loop {
            if stage.wait_for(|stage| *stage == Stage::Unseen).await.is_err() {
                return pending().await;
            }
            let (notice, claim) = match self.claim(id) {
                Claimed::Mine(notice, claim) => (*notice, claim),
                Claimed::Others => continue,
                Claimed::Gone => return pending().await,
            };
            match self.notifier.notify(&notice).await {
                Ok(()) => claim.shown(),
                Err(error) => {
                    tracing::warn!(session = %self.session, %id, %error, "a question reached nobody");
                    return self.end(id, Consent::Undeliverable, &stage);
                }
            }
        }
    }

    async fn beat(&self, id: &PromptId) {
        let mut interval = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        loop {
            interval.tick().await;
            self.notifier.alive(id);
        }
    }

    /// Settles the question unless somebody was faster; answers how it ended.
    fn end(&self, id: &PromptId, consent: Consent, stage: &watch::Receiver<Stage>) -> Consent {
        let taken = self.broker.queues().take(&self.session, id);
        if let Some(question) = taken {
            question.settle(consent.clone());
            question.notifier.withdraw(id, &consent);
            return consent;
        }
        match &*stage.borrow() {
            Stage::Settled(consent) => consent.clone(),
            Stage::Unseen | Stage::OnItsWay | Stage::Shown => Consent::Cancelled,
        }
    }

    fn claim(&self, id: &PromptId) -> Claimed {
        let queues = self.broker.queues();
        let Some(question) = queues.find(&self.session, id) else { return Claimed::Gone };
        let is_mine = question.stage.send_if_modified(|stage| {
            let is_free = *stage == Stage::Unseen;
            if is_free {
                *stage = Stage::OnItsWay;
            }
            is_free
        });
        if !is_mine {
            return Claimed::Others;
        }
        let claim = Claim { stage: question.stage.clone(), to: Stage::Unseen };
        Claimed::Mine(Box::new(question.notice(&self.session)), claim)
    }
}

/// Waits until the question has ended. An owner that is gone without a word has not consented.
async fn settled(mut stage: watch::Receiver<Stage>) -> Consent {
    match stage.wait_for(|stage| matches!(stage, Stage::Settled(_))).await.as_deref() {
        Ok(Stage::Settled(consent)) => consent.clone(),
        _ => Consent::Cancelled,
    }
}

/// Whose duty it is to show a question.
enum Claimed {
    Mine(Box<super::Notice>, Claim),
    Others,
    /// It is out of its queue; its end is about to be told.
    Gone,
}

/// The duty to show a question. Given up half-way, it passes to another.
struct Claim {
    stage: watch::Sender<Stage>,
    to: Stage,
}

impl Claim {
    fn shown(mut self) {
        self.to = Stage::Shown;
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let to = self.to.clone();
        self.stage.send_if_modified(|stage| {
            let is_mine = *stage == Stage::OnItsWay;
            if is_mine {
                *stage = to;
            }
            is_mine
        });
    }
}

/// One who waits. Leaves when it stops, and takes the question along if it was the last one.
struct Leaving<'a> {
    approver: &'a SessionApprover,
    id: &'a PromptId,
    waiter: &'a str,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let SessionApprover { broker, session, .. } = self.approver;
        let left = broker.queues().leave(session, self.id, self.waiter);
        if let Some(question) = left {
            question.settle(Consent::Cancelled);
            question.notifier.withdraw(self.id, &Consent::Cancelled);
        }
    }
}
