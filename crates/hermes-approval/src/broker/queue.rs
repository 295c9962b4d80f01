//! The questions that wait, by session. Plain state: whoever holds the lock sees all of it.
//!
//! A question is in its queue or it is settled, never both: taking it out is what settles it. So an answer that lands
//! before the deadline's removal counts, and one that lands after it is told so.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use hermes_proto::consent::{Consent, ConsentRequest};
use hermes_proto::session::SessionKey;
use tokio::sync::watch;
use tokio::time::Instant;

use super::{Authorised, Notice, Notifier, PromptId};

/// Questions of one session that wait at once.
pub(super) const MOST_QUESTIONS: usize = 64;
/// Turns that wait for one and the same question.
pub(super) const MOST_WAITERS: usize = 64;
/// Questions of all sessions that wait at once.
pub(super) const MOST_ALTOGETHER: usize = 10_000;
/// Settled questions whose ids are still recognised.
const MOST_SETTLED: usize = 1_000;

/// Where a question stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nobody has shown it yet.
    Unseen,
    /// Somebody is showing it.
    OnItsWay,
    Shown,
    Settled(Consent),
}

/// One question.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) id: PromptId,
    pub(super) request: ConsentRequest,
    pub(super) authorised: Authorised,
    pub(super) notifier: Arc<dyn Notifier>,
    pub(super) deadline: Instant,
    pub(super) stage: watch::Sender<Stage>,
    /// The requests that wait for it, as the record knows them.
    pub(super) waiters: Vec<String>,
}

impl Question {
    /// Whether the same person would be asked the same thing.
    fn is_same(&self, request: &ConsentRequest, authorised: &Authorised) -> bool {
        let ConsentRequest { request: _, kind, action, place, findings, offers, patience: _ } = request;
        let own = &self.request;
        own.kind == *kind
            && own.action == *action
            && own.place == *place
            && own.findings == *findings
            && own.offers == *offers
            && self.authorised == *authorised
    }

    pub(super) fn notice(&self, session: &SessionKey) -> Notice {
        Notice {
            id: self.id.clone(),
            session: session.clone(),
            request: self.request.clone(),
            remaining: self.deadline.saturating_duration_since(Instant::now()),
        }
    }

    /// Tells those who wait. The question must have been taken out of its queue.
    pub(super) fn settle(&self, consent: Consent) {
        self.stage.send_replace(Stage::Settled(consent));
    }
}

/// All questions, and the ids of the newest settled ones.
#[derive(Debug, Default)]
pub(super) struct Queues {
    waiting: HashMap<SessionKey, VecDeque<Question>>,
    altogether: usize,
    settled: VecDeque<(SessionKey, PromptId)>,
}

/// There is no room for another question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

/// A question that one has joined.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) id: PromptId,
    pub(super) deadline: Instant,
    pub(super) stage: watch::Receiver<Stage>,
}

impl Queues {
    /// Waits along with the same question, if it is there.
    pub(super) fn join(
        &mut self,
        session: &SessionKey,
        request: &ConsentRequest,
        authorised: &Authorised,
    ) -> Result<Option<Joined>, Full> {
        let Some(queue) = self.waiting.get_mut(session) else { return Ok(None) };
        let Some(same) = queue.iter_mut().find(|question| question.is_same(request, authorised)) else {
            return Ok(None);
        };
        if same.waiters.len() >= MOST_WAITERS {
            return Err(Full);
        }
        same.waiters.push(request.request.clone());
        Ok(Some(Joined { id: same.id.clone(), deadline: same.deadline, stage: same.stage.subscribe() }))
    }

    pub(super) fn push(&mut self, session: &SessionKey, question: Question) -> Result<Joined, Full> {
        let length = self.waiting.get(session).map_or(0, VecDeque::len);
        if length >= MOST_QUESTIONS || self.altogether >= MOST_ALTOGETHER {
            return Err(Full);
        }
        let joined = Joined { id: question.id.clone(), deadline: question.deadline, stage: question.stage.subscribe() };
        self.waiting.entry(session.clone()).or_default().push_back(question);
        self.altogether += 1;
        Ok(joined)
    }

    pub(super) fn of(&self, session: &SessionKey) -> impl Iterator<Item = &Question> {
        self.waiting.get(session).into_iter().flatten()
    }

    pub(super) fn find(&self, session: &SessionKey, id: &PromptId) -> Option<&Question> {
        self.of(session).find(|question| question.id == *id)
    }

    /// Whether this question waits in any session but this one.
    pub(super) fn is_elsewhere(&self, session: &SessionKey, id: &PromptId) -> bool {
        self.waiting.iter().any(|(other, queue)| other != session && queue.iter().any(|question| question.id == *id))
    }

    pub(super) fn was_settled(&self, session: &SessionKey, id: &PromptId) -> bool {
        self.settled.iter().any(|(other, settled)| other == session && settled == id)
    }

    /// Takes a question out: from here on nobody else can settle it.
    pub(super) fn take(&mut self, session: &SessionKey, id: &PromptId) -> Option<Question> {
        let queue = self.waiting.get_mut(session)?;
        let place = queue.iter().position(|question| question.id == *id)?;
        let question = queue.remove(place)?;
        if queue.is_empty() {
            self.waiting.remove(session);
        }
        self.gone(session, &question.id);
        Some(question)
    }

    /// One of those who wait gives up; the question itself if that was the last one.
    pub(super) fn leave(&mut self, session: &SessionKey, id: &PromptId, waiter: &str) -> Option<Question> {
        let question = self.waiting.get_mut(session)?.iter_mut().find(|question| question.id == *id)?;
        if let Some(place) = question.waiters.iter().position(|other| other == waiter) {
            question.waiters.swap_remove(place);
        }
        if question.waiters.is_empty() { self.take(session, id) } else { None }
    }

    pub(super) fn take_all_of(&mut self, session: &SessionKey) -> Vec<Question> {
        let queue: Vec<_> = self.waiting.remove(session).into_iter().flatten().collect();
        for question in &queue {
            self.gone(session, &question.id);
        }
        queue
    }

    pub(super) fn sessions(&self) -> Vec<SessionKey> {
        self.waiting.keys().cloned().collect()
    }

    fn gone(&mut self, session: &SessionKey, id: &PromptId) {
        self.altogether -= 1;
        if self.settled.len() >= MOST_SETTLED {
            self.settled.pop_front();
        }
        self.settled.push_back((session.clone(), id.clone()));
    }
}
