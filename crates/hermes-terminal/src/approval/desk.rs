//! Where questions wait. The oldest is the one that is shown; one whose asker has gone is taken away.

use std::collections::VecDeque;

use hermes_agent::Answer;
use hermes_proto::Secret;
use hermes_proto::consent::{Consent, ConsentRequest, SecretRequest};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Consent(ConsentRequest),
    Secret(SecretRequest),
    /// What was meant. Its answer is information and never consent.
    Meaning(hermes_agent::Question),
}

/// A question as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QuestionView {
    /// Never used twice by one approver.
    pub(crate) number: u64,
    pub(crate) asked: Asked,
    pub(crate) deadline: Instant,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Given {
    Consent(Consent),
    Secret(Option<Secret>),
    Meaning(Answer),
}

/// A question and the way back.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) view: QuestionView,
    pub(super) reply: ReplyTo,
}

#[derive(Debug)]
pub(super) enum ReplyTo {
    Consent(oneshot::Sender<Consent>),
    Secret(oneshot::Sender<Option<Secret>>),
    Meaning(oneshot::Sender<Answer>),
}

impl From<oneshot::Sender<Consent>> for ReplyTo {
    fn from(sender: oneshot::Sender<Consent>) -> Self {
        Self::Consent(sender)
    }
}

impl From<oneshot::Sender<Option<Secret>>> for ReplyTo {
    fn from(sender: oneshot::Sender<Option<Secret>>) -> Self {
        Self::Secret(sender)
    }
}

impl From<oneshot::Sender<Answer>> for ReplyTo {
    fn from(sender: oneshot::Sender<Answer>) -> Self {
        Self::Meaning(sender)
    }
}

impl ReplyTo {
    fn is_closed(&self) -> bool {
        match self {
            Self::Consent(sender) => sender.is_closed(),
            Self::Secret(sender) => sender.is_closed(),
            Self::Meaning(sender) => sender.is_closed(),
        }
    }

    async fn closed(&mut self) {
        match self {
            Self::Consent(sender) => sender.closed().await,
            Self::Secret(sender) => sender.closed().await,
            Self::Meaning(sender) => sender.closed().await,
        }
    }
}

/// The questions that wait for the person. Closing it, by dropping it, cancels them all.
#[derive(Debug)]
pub struct Desk {
    incoming: mpsc::Receiver<Question>,
    waiting: VecDeque<Question>,
}

/// Questions that are taken from their channel; more wait with their askers.
const HELD: usize = 64;

impl Desk {
    pub(super) fn new(incoming: mpsc::Receiver<Question>) -> Self {
        Self { incoming, waiting: VecDeque::new() }
    }

    /// Waits until the questions are others than before. Safe to give up and call again.
    pub(crate) async fn changed(&mut self) {
        let before = self.waiting.len();
        self.waiting.retain(|question| !question.reply.is_closed());
        if self.waiting.len() != before {
            return;
        }
        let is_full = self.waiting.len() >= HELD;
        let withdrawn = async {
            match self.waiting.front_mut() {
                Some(question) => question.reply.closed().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Some(question) = self.incoming.recv(), if !is_full => self.waiting.push_back(question),
            () = withdrawn => drop(self.waiting.pop_front()),
            else => std::future::pending().await,
        }
        self.waiting.retain(|question| !question.reply.is_closed());
    }

    /// The question that is to be shown.
    pub(crate) fn front(&self) -> Option<&QuestionView> {
        self.waiting.front().map(|question| &question.view)
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Answers the question of this number. An answer of the wrong kind, or to a question that is gone, changes nothing.
    pub(crate) fn answer(&mut self, number: u64, given: Given) {
        let Some(at) = self.waiting.iter().position(|question| question.view.number == number) else { return };
        let Some(question) = self.waiting.remove(at) else { return };
        // An asker that has gone meanwhile needs no answer.
        match (question.reply, given) {
            (ReplyTo::Consent(sender), Given::Consent(consent)) => drop(sender.send(consent)),
            (ReplyTo::Secret(sender), Given::Secret(secret)) => drop(sender.send(secret)),
            (ReplyTo::Meaning(sender), Given::Meaning(answer)) => drop(sender.send(answer)),
            (ReplyTo::Consent(sender), _) => drop(sender.send(Consent::Cancelled)),
            (ReplyTo::Secret(sender), _) => drop(sender.send(None)),
            (ReplyTo::Meaning(sender), _) => drop(sender.send(Answer::Cancelled)),
        }
    }

    /// The turn was interrupted: every question is.
    pub(crate) fn cancel_all(&mut self) {
        while let Ok(question) = self.incoming.try_recv() {
            self.waiting.push_back(question);
        }
        while let Some(number) = self.front().map(|view| view.number) {
            self.answer(number, Given::Consent(Consent::Cancelled));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hermes_proto::consent::{ActionKind, Approver, Offer, Reach, Scope};

    use super::super::TerminalApprover;
    use super::*;

    fn request(action: &str, patience: Duration) -> ConsentRequest {
        ConsentRequest {
            request: "test".to_owned(),
            kind: ActionKind::Command,
            action: action.to_owned(),
            place: "local".to_owned(),
            findings: Vec::new(),
            offers: vec![Offer { scope: Scope::Once, allows: "this".to_owned() }],
            patience,
        }
    }

    const LONG: Duration = Duration::from_secs(3600);

    #[tokio::test]
    async fn questions_are_answered_one_after_another() {
        let (approver, mut desk) = TerminalApprover::reaching_a_person();
        let (one, two) = (request("one", LONG), request("two", LONG));
        let answering = async {
            desk.changed().await;
            desk.changed().await;
            assert_eq!(desk.len(), 2);
            for consent in [Consent::Approved(Scope::Once), Consent::Denied { reason: None }] {
                let number = desk.front().unwrap().number;
                desk.answer(number, Given::Consent(consent));
            }
        };
        let (first, second, ()) = tokio::join!(approver.ask(&one), approver.ask(&two), answering);
        assert_eq!((first, second), (Consent::Approved(Scope::Once), Consent::Denied { reason: None }));
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_a_timeout_and_the_question_is_withdrawn() {
        let (approver, mut desk) = TerminalApprover::reaching_a_person();
        let short = request("x", Duration::from_secs(60));
        let secret = SecretRequest { purpose: "sudo".to_owned(), patience: Duration::from_secs(60) };
        let asking = async {
            assert_eq!(approver.ask(&short).await, Consent::TimedOut);
            assert_eq!(approver.ask_secret(&secret).await, None);
        };
        let watching = async {
            loop {
                desk.changed().await;
                assert!(desk.len() <= 1);
            }
        };
        tokio::select! {
            () = asking => {}
            () = watching => {}
        }
        desk.changed().await;
        assert_eq!(desk.len(), 0);
    }

    #[tokio::test]
    async fn interrupting_cancels_what_waits_and_what_is_on_its_way() {
        let (approver, mut desk) = TerminalApprover::reaching_a_person();
        let (one, two) = (request("one", LONG), request("two", LONG));
        let cancelling = async {
            desk.changed().await;
            desk.cancel_all();
        };
        let (first, second, ()) = tokio::join!(approver.ask(&one), approver.ask(&two), cancelling);
        assert_eq!((first, second), (Consent::Cancelled, Consent::Cancelled));
    }

    #[tokio::test]
    async fn a_closed_desk_cancels_and_then_reaches_nobody() {
        let (approver, mut desk) = TerminalApprover::reaching_a_person();
        let one = request("one", LONG);
        let closing = async {
            desk.changed().await;
            drop(desk);
        };
        let (consent, ()) = tokio::join!(approver.ask(&one), closing);
        assert_eq!(consent, Consent::Cancelled);
        assert_eq!(approver.reach(), Reach::Nobody);
        assert_eq!(approver.ask(&one).await, Consent::Undeliverable);
    }

    #[tokio::test]
    async fn an_answer_of_the_wrong_kind_is_never_an_approval() {
        for given in [Given::Secret(Some(Secret::new("x"))), Given::Meaning(Answer::Said("yes".to_owned()))] {
            let (approver, mut desk) = TerminalApprover::reaching_a_person();
            let one = request("one", LONG);
            let answering = async {
                desk.changed().await;
                desk.answer(desk.front().unwrap().number, given);
            };
            let (consent, ()) = tokio::join!(approver.ask(&one), answering);
            assert_eq!(consent, Consent::Cancelled);
        }
    }
}
