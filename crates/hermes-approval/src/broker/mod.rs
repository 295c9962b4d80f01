//! The questions of all sessions: put, waited for, answered.
//!
//! One owner for every question that waits. A question can end in five ways (answered, timed out, cancelled, never delivered,
//! its surface closed), by tasks that know nothing of each other; whoever takes it out of its queue has decided how it
//! ended, and all others see that. Nothing but an approval by an authorised person of the same session is consent.

mod answer;
mod approver;
mod notifier;
mod parse;
mod queue;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_proto::consent::{Approver, Consent};
use hermes_proto::session::SessionKey;

use crate::journal::{Entry, Journal, Moment};

use approver::SessionApprover;
use queue::{Question, Queues};

pub use answer::{Answer, AnswerError, Answered, Answerer, Authorised, Which};
pub use notifier::{Notice, Notifier, PendingNotice, PromptId, Undelivered};
pub use parse::{LONGEST_REASON, TypedAnswer, parse_answer};

/// The questions of all sessions of this process. Clones are the same broker.
#[derive(Debug, Clone)]
pub struct Broker {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    queues: Mutex<Queues>,
    journal: Arc<dyn Journal>,
}

impl Broker {
    /// Answers, and attempts at answers, are recorded there.
    pub fn new(journal: Arc<dyn Journal>) -> Self {
        Self { shared: Arc::new(Shared { queues: Mutex::default(), journal }) }
    }

    /// The way to the people of one turn, for its edge.
    pub fn approver(
        &self,
        session: SessionKey,
        notifier: Arc<dyn Notifier>,
        authorised: Authorised,
    ) -> Arc<dyn Approver> {
        Arc::new(SessionApprover { broker: self.clone(), session, notifier, authorised })
    }

    /// What waits in this session, the oldest first.
    pub fn pending(&self, session: &SessionKey) -> Vec<Notice> {
        self.queues().of(session).map(|question| question.notice(session)).collect()
    }

    /// Settles questions. The attempt is recorded either way; blocks while it is written.
    pub fn answer(&self, by: &Answerer, which: &Which, answer: &Answer) -> Result<Answered, AnswerError> {
        let outcome = self.settle(by, which, answer);
        match &outcome {
            Ok(settled) => self.record_settled(by, settled),
            Err(error @ (AnswerError::NotAuthorised | AnswerError::UnknownId(_))) => {
                self.record_refused(by, answer, error);
            }
            Err(_) => {}
        }
        let settled = outcome?;
        Ok(Answered { settled: settled.into_iter().map(|(question, consent)| (question.id, consent)).collect() })
    }

    /// Ends the waiting of a session whose surface is gone. Nobody has consented to anything.
    pub fn close(&self, session: &SessionKey) {
        let questions = self.queues().take_all_of(session);
        for question in questions {
            question.settle(Consent::Cancelled);
            question.notifier.withdraw(&question.id, &Consent::Cancelled);
        }
    }

    /// The same for all sessions.
    pub fn close_all(&self) {
        let sessions = self.queues().sessions();
        for session in sessions {
            self.close(&session);
        }
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.shared.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&self, by: &Answerer, which: &Which, answer: &Answer) -> Result<Vec<(Question, Consent)>, AnswerError> {
        let settled = {
            let mut queues = self.queues();
            let meant = meant(&queues, by, which)?;
            let mut settled = Vec::new();
            for (id, consent) in consents(&queues, by, &meant, answer)? {
                settled.extend(queues.take(&by.session, &id).map(|question| (question, consent)));
            }
            settled
        };
        for (question, consent) in &settled {
            question.settle(consent.clone());
            question.notifier.withdraw(&question.id, consent);
        }
        Ok(settled)
    }

    fn record_settled(&self, by: &Answerer, settled: &[(Question, Consent)]) {
        let entries: Vec<_> = settled
            .iter()
            .flat_map(|(question, consent)| {
                question.waiters.iter().map(|request| entry(by, question, request, outcome(consent)))
            })
            .collect();
        self.write(&entries);
    }

    fn record_refused(&self, by: &Answerer, answer: &Answer, error: &AnswerError) {
        tracing::warn!(session = %by.session, person = by.person, %error, "an answer was refused");
        let moment = Moment::Answered { outcome: format!("refused: {error}"), by: by.person.clone() };
        self.write(&[Entry {
            moment,
            request: String::new(),
            session: Some(by.session.to_string()),
            who: Some(by.person.clone()),
            surface: "",
            place: String::new(),
            kind: hermes_proto::consent::ActionKind::Command,
            subject: answer.name(),
            verdict: "ask",
            rule: String::new(),
        }]);
    }

    /// The decision itself is recorded by the guard, which refuses when that fails.
    fn write(&self, entries: &[Entry]) {
        if let Err(error) = self.shared.journal.write(entries) {
            tracing::error!(%error, "who answered is not on record");
        }
    }
}

/// The ids that are meant, of questions in this session that this person may answer.
fn meant(queues: &Queues, by: &Answerer, which: &Which) -> Result<Vec<PromptId>, AnswerError> {
    if let Which::Id(id) = which {
        return match queues.find(&by.session, id) {
            Some(question) if question.authorised.includes(&by.person) => Ok(vec![id.clone()]),
            Some(_) => Err(AnswerError::NotAuthorised),
            None if queues.is_elsewhere(&by.session, id) => Err(AnswerError::NotAuthorised),
            None if queues.was_settled(&by.session, id) => Err(AnswerError::AlreadySettled(id.clone())),
            None => Err(AnswerError::UnknownId(id.clone())),
        };
    }
    let mut own = queues.of(&by.session).filter(|question| question.authorised.includes(&by.person));
    let meant: Vec<_> = match which {
        Which::All => own.map(|question| question.id.clone()).collect(),
        Which::Oldest | Which::Id(_) => own.next().map(|question| question.id.clone()).into_iter().collect(),
    };
    if !meant.is_empty() {
        return Ok(meant);
    }
    let error =
        if queues.of(&by.session).next().is_some() { AnswerError::NotAuthorised } else { AnswerError::NothingPending };
    Err(error)
}

fn consents(
    queues: &Queues,
    by: &Answerer,
    meant: &[PromptId],
    answer: &Answer,
) -> Result<Vec<(PromptId, Consent)>, AnswerError> {
    let found = meant.iter().filter_map(|id| queues.find(&by.session, id));
    found
        .map(|question| match answer.consent(&question.request.offers) {
            Some(consent) => Ok((question.id.clone(), consent)),
            None => Err(AnswerError::NotOffered(question.id.clone())),
        })
        .collect()
}

fn entry(by: &Answerer, question: &Question, request: &str, outcome: String) -> Entry {
    let keys: Vec<_> = question.request.findings.iter().map(|finding| finding.key.as_str()).collect();
    Entry {
        moment: Moment::Answered { outcome, by: by.person.clone() },
        request: request.to_owned(),
        session: Some(by.session.to_string()),
        who: Some(by.person.clone()),
        surface: "",
        place: question.request.place.clone(),
        kind: question.request.kind,
        subject: question.request.action.clone(),
        verdict: "ask",
        rule: keys.join(","),
    }
}

/// For the record.
fn outcome(consent: &Consent) -> String {
    match consent {
        Consent::Approved(scope) => format!("approved {}", scope.name()),
        Consent::Denied { .. } => "denied".to_owned(),
        Consent::TimedOut => "timeout".to_owned(),
        Consent::Cancelled => "cancelled".to_owned(),
        Consent::Undeliverable => "notify_failed".to_owned(),
    }
}
