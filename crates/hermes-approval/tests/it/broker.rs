//! Questions of chats: put, joined, answered by the right person, and ended in every way but consent.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_approval::{
    Answer, AnswerError, Answerer, Authorised, Broker, Notice, Notifier, PendingNotice, PromptId, Undelivered, Which,
};
use hermes_proto::consent::{ActionKind, Approver, Consent, ConsentRequest, Finding, Offer, Scope};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::support::{Memory, key};

/// A chat that keeps what it shows.
#[derive(Debug, Default)]
struct Chat {
    shown: Mutex<Vec<Notice>>,
    withdrawn: Mutex<Vec<(PromptId, Consent)>>,
    beats: Mutex<usize>,
    arrived: Notify,
    way: Way,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    Open,
    Broken,
    Slow,
}

impl Notifier for Chat {
    fn notify<'a>(&'a self, notice: &'a Notice) -> PendingNotice<'a> {
        self.shown.lock().unwrap().push(notice.clone());
        self.arrived.notify_one();
        Box::pin(async move {
            match self.way {
                Way::Open => Ok(()),
                Way::Broken => Err(Undelivered("the bot was removed".to_owned())),
                Way::Slow => std::future::pending().await,
            }
        })
    }

    fn withdraw(&self, id: &PromptId, outcome: &Consent) {
        self.withdrawn.lock().unwrap().push((id.clone(), outcome.clone()));
    }

    fn alive(&self, _id: &PromptId) {
        *self.beats.lock().unwrap() += 1;
    }
}

impl Chat {
    fn ids(&self) -> Vec<PromptId> {
        self.shown.lock().unwrap().iter().map(|notice| notice.id.clone()).collect()
    }

    fn outcomes(&self) -> Vec<Consent> {
        self.withdrawn.lock().unwrap().iter().map(|(_, outcome)| outcome.clone()).collect()
    }
}

struct Room {
    broker: Broker,
    journal: Arc<Memory>,
    chat: Arc<Chat>,
}

fn room() -> Room {
    room_with(Way::Open)
}

fn room_with(way: Way) -> Room {
    let journal = Arc::new(Memory::default());
    Room { broker: Broker::new(journal.clone()), journal, chat: Arc::new(Chat { way, ..Chat::default() }) }
}

fn request(action: &str) -> ConsentRequest {
    static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let offer = |scope| Offer { scope, allows: String::new() };
    ConsentRequest {
        request: format!("request {number}"),
        kind: ActionKind::Command,
        action: action.to_owned(),
        place: "here".to_owned(),
        findings: vec![Finding { key: "rule".to_owned(), reason: String::new(), about: String::new() }],
        offers: vec![offer(Scope::Once), offer(Scope::Session)],
        patience: Duration::from_secs(300),
    }
}

impl Room {
    fn approver(&self, session: &str) -> Arc<dyn Approver> {
        self.broker.approver(key(session), self.chat.clone(), Authorised::only("ann"))
    }

    /// A turn that asks, and has been heard.
    async fn ask(&self, session: &str, action: &str) -> JoinHandle<Consent> {
        let waiting = self.broker.pending(&key(session)).len();
        let asked = self.start(self.approver(session), request(action));
        self.chat.arrived.notified().await;
        assert_eq!(self.broker.pending(&key(session)).len(), waiting + 1);
        asked
    }

    fn start(&self, approver: Arc<dyn Approver>, request: ConsentRequest) -> JoinHandle<Consent> {
        tokio::spawn(async move { approver.ask(&request).await })
    }

    fn says(&self, session: &str, person: &str, which: &Which, answer: &Answer) -> Result<Vec<Consent>, AnswerError> {
        let by = Answerer { session: key(session), person: person.to_owned() };
        let answered = self.broker.answer(&by, which, answer)?;
        Ok(answered.settled.into_iter().map(|(_, consent)| consent).collect())
    }
}

const ONCE: Answer = Answer::Approve(Scope::Once);
const NO: Answer = Answer::Deny { reason: None };
const YES: Consent = Consent::Approved(Scope::Once);

#[tokio::test]
async fn the_oldest_is_answered_first() {
    let room = room();
    let (first, second) = (room.ask("one", "a").await, room.ask("one", "b").await);
    assert_eq!(room.says("one", "ann", &Which::Oldest, &ONCE).unwrap(), [YES]);
    assert_eq!(first.await.unwrap(), YES);
    let no = Answer::Deny { reason: Some("later".to_owned()) };
    assert_eq!(room.says("one", "ann", &Which::Oldest, &no).unwrap().len(), 1);
    assert_eq!(second.await.unwrap(), Consent::Denied { reason: Some("later".to_owned()) });
    assert_eq!(room.says("one", "ann", &Which::Oldest, &ONCE), Err(AnswerError::NothingPending));
    let by: Vec<_> = room.journal.lines().iter().map(|line| line.split('|').next().unwrap().to_owned()).collect();
    assert_eq!(by, ["answered approved once by ann ", "answered denied by ann "]);
}

#[tokio::test]
async fn one_can_be_answered_by_its_id_and_only_once() {
    let room = room();
    let (first, second) = (room.ask("one", "a").await, room.ask("one", "b").await);
    let id = room.chat.ids()[1].clone();
    let which = Which::Id(id.clone());
    assert_eq!(
        room.says("one", "ann", &which, &Answer::Approve(Scope::Always)).unwrap(),
        [Consent::Approved(Scope::Session)]
    );
    assert_eq!(second.await.unwrap(), Consent::Approved(Scope::Session), "narrowed to what was offered");
    assert_eq!(room.says("one", "ann", &which, &ONCE), Err(AnswerError::AlreadySettled(id)));
    let unknown = PromptId::parse("00000000").unwrap();
    assert_eq!(room.says("one", "ann", &Which::Id(unknown.clone()), &ONCE), Err(AnswerError::UnknownId(unknown)));
    assert!(!first.is_finished());
    assert_eq!(room.broker.pending(&key("one")).len(), 1);
    first.abort();
}

#[tokio::test]
async fn all_answers_all_of_this_session() {
    let room = room();
    let waiting = [room.ask("one", "a").await, room.ask("one", "b").await, room.ask("two", "a").await];
    assert_eq!(room.says("one", "ann", &Which::All, &ONCE).unwrap(), [YES, YES]);
    let [first, second, other] = waiting;
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (YES, YES));
    assert!(!other.is_finished());
    other.abort();
}

#[tokio::test]
async fn strangers_and_other_chats_are_refused_and_recorded() {
    let room = room();
    let asked = room.ask("one", "a").await;
    let id = Which::Id(room.chat.ids()[0].clone());
    for (session, person, which, expected) in [
        ("one", "bob", &Which::Oldest, AnswerError::NotAuthorised),
        ("one", "bob", &Which::All, AnswerError::NotAuthorised),
        ("one", "bob", &id, AnswerError::NotAuthorised),
        ("one", "", &id, AnswerError::NotAuthorised),
        ("two", "ann", &id, AnswerError::NotAuthorised),
        ("two", "ann", &Which::Oldest, AnswerError::NothingPending),
        ("two", "ann", &Which::All, AnswerError::NothingPending),
    ] {
        assert_eq!(room.says(session, person, which, &ONCE), Err(expected), "{session} {person} {which:?}");
    }
    let lines = room.journal.lines();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("refused: you may not answer")), "{lines:?}");
    assert!(!asked.is_finished(), "it still waits");
    room.says("one", "ann", &id, &NO).unwrap();
    assert_eq!(asked.await.unwrap(), Consent::Denied { reason: None });
}

#[tokio::test]
async fn in_a_group_each_answers_their_own() {
    let room = room();
    let of = |people: &[&str]| Authorised::People(people.iter().map(|one| (*one).to_owned()).collect::<BTreeSet<_>>());
    let mut waiting = Vec::new();
    for (people, action) in [(of(&["ann"]), "a"), (of(&["bob", "eve"]), "b"), (Authorised::Everybody, "c")] {
        waiting.push(room.start(room.broker.approver(key("one"), room.chat.clone(), people), request(action)));
        room.chat.arrived.notified().await;
    }
    assert_eq!(room.says("one", "eve", &Which::Oldest, &ONCE).unwrap().len(), 1);
    let third = waiting.pop().unwrap();
    assert_eq!(waiting.pop().unwrap().await.unwrap(), YES, "her own, though ann's is older");
    room.says("one", "anybody", &Which::Oldest, &ONCE).unwrap();
    assert_eq!(third.await.unwrap(), YES);
    assert_eq!(room.says("one", "eve", &Which::All, &ONCE), Err(AnswerError::NotAuthorised));
    waiting.pop().unwrap().abort();
}

#[tokio::test]
async fn the_same_question_is_put_once_and_answers_all_who_wait() {
    let room = room();
    let first = room.ask("one", "a").await;
    let (approver, joined) = (room.approver("one"), request("a"));
    let mut second = polled(async move { approver.ask(&joined).await });
    assert!(second.is_pending());
    let different = room.ask("one", "b").await;
    let elsewhere = room.ask("two", "a").await;
    assert_eq!(room.chat.ids().len(), 3, "the same thing was shown once");
    room.says("one", "ann", &Which::Oldest, &ONCE).unwrap();
    assert_eq!((first.await.unwrap(), second.finish().await), (YES, YES));
    assert!(!different.is_finished() && !elsewhere.is_finished());
    assert_eq!(room.journal.lines().len(), 2, "one line for each request that it settled");
    different.abort();
    elsewhere.abort();
}

#[tokio::test]
async fn one_who_gives_up_does_not_take_the_question_from_the_other() {
    let room = room();
    let first = room.ask("one", "a").await;
    let (approver, joined) = (room.approver("one"), request("a"));
    let mut second = polled(async move { approver.ask(&joined).await });
    assert!(second.is_pending());
    first.abort();
    let _ = first.await;
    assert_eq!(room.broker.pending(&key("one")).len(), 1);
    assert!(second.is_pending());
    room.says("one", "ann", &Which::Oldest, &ONCE).unwrap();
    assert_eq!(second.finish().await, YES);
}

#[tokio::test]
async fn who_gives_up_while_showing_it_leaves_that_to_the_next() {
    let room = room_with(Way::Slow);
    let first = room.ask("one", "a").await;
    let second = room.start(room.approver("one"), request("a"));
    tokio::task::yield_now().await;
    assert_eq!(room.chat.ids().len(), 1);
    first.abort();
    let _ = first.await;
    room.chat.arrived.notified().await;
    let ids = room.chat.ids();
    assert_eq!((ids.len(), ids.first() == ids.last()), (2, true), "the same question is shown again");
    room.says("one", "ann", &Which::Oldest, &ONCE).unwrap();
    assert_eq!(second.await.unwrap(), YES, "an answer counts even before the platform has confirmed the message");
}

#[tokio::test]
async fn the_last_one_who_gives_up_withdraws_it() {
    let room = room();
    let asked = room.ask("one", "a").await;
    asked.abort();
    let _ = asked.await;
    assert_eq!(room.broker.pending(&key("one")), []);
    assert_eq!(room.chat.outcomes(), [Consent::Cancelled]);
    assert_eq!(room.says("one", "ann", &Which::Oldest, &ONCE), Err(AnswerError::NothingPending));
}

#[tokio::test]
async fn a_question_that_reaches_nobody_is_over_at_once() {
    let room = room_with(Way::Broken);
    assert_eq!(room.approver("one").ask(&request("a")).await, Consent::Undeliverable);
    assert_eq!(room.broker.pending(&key("one")), []);
    assert_eq!(room.chat.outcomes(), [Consent::Undeliverable]);
}

#[tokio::test(start_paused = true)]
async fn silence_ends_it_and_the_waiting_shows_signs_of_life() {
    let room = room();
    let asked = tokio::time::Instant::now();
    assert_eq!(room.approver("one").ask(&request("a")).await, Consent::TimedOut);
    assert_eq!(asked.elapsed().as_secs(), 300);
    let beats = *room.chat.beats.lock().unwrap();
    assert!((29..=30).contains(&beats), "{beats}: every ten seconds until the end");
    assert_eq!(room.chat.outcomes(), [Consent::TimedOut]);
    let late = Which::Id(room.chat.ids()[0].clone());
    assert_eq!(room.says("one", "ann", &late, &ONCE), Err(AnswerError::AlreadySettled(room.chat.ids()[0].clone())));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_lands_before_the_removal_counts_and_a_later_one_does_not() {
    let room = room();
    let waiting = |action: &str| {
        let (approver, request) = (room.approver("one"), request(action));
        let mut asked = polled(async move { approver.ask(&request).await });
        assert!(asked.is_pending());
        asked
    };
    let (in_time, late) = (waiting("a"), waiting("b"));
    // The time is over, but neither has looked at the clock yet.
    tokio::time::advance(Duration::from_secs(301)).await;
    room.says("one", "ann", &Which::Oldest, &ONCE).unwrap();
    assert_eq!(in_time.finish().await, YES);
    assert_eq!(late.finish().await, Consent::TimedOut);
    assert_eq!(room.says("one", "ann", &Which::Oldest, &ONCE), Err(AnswerError::NothingPending));
}

#[tokio::test]
async fn a_patience_of_centuries_is_bounded() {
    let room = room();
    let patient = ConsentRequest { patience: Duration::MAX, ..request("a") };
    let asked = room.start(room.approver("one"), patient);
    room.chat.arrived.notified().await;
    assert!(room.broker.pending(&key("one"))[0].remaining <= Duration::from_secs(366 * 24 * 3600));
    room.broker.close_all();
    assert_eq!(asked.await.unwrap(), Consent::Cancelled);
}

#[tokio::test]
async fn closing_is_never_consent() {
    let room = room();
    let (first, second, other) = (room.ask("one", "a").await, room.ask("one", "b").await, room.ask("two", "a").await);
    room.broker.close(&key("one"));
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (Consent::Cancelled, Consent::Cancelled));
    assert!(!other.is_finished());
    room.broker.close_all();
    assert_eq!(other.await.unwrap(), Consent::Cancelled);
    assert_eq!(room.chat.outcomes(), [Consent::Cancelled, Consent::Cancelled, Consent::Cancelled]);
}

#[tokio::test]
async fn a_session_can_only_pile_up_so_many() {
    let room = room();
    let mut waiting = Vec::new();
    for number in 0..64 {
        waiting.push(room.ask("one", &number.to_string()).await);
    }
    assert_eq!(room.approver("one").ask(&request("one more")).await, Consent::Undeliverable);
    let other = room.ask("two", "a").await;
    room.broker.close_all();
    for asked in waiting.into_iter().chain([other]) {
        assert_eq!(asked.await.unwrap(), Consent::Cancelled);
    }
}

/// A future that is polled by hand, so that a test knows how far it got.
struct Polled<T>(std::pin::Pin<Box<dyn Future<Output = T>>>, Option<T>);

fn polled<T>(future: impl Future<Output = T> + 'static) -> Polled<T> {
    Polled(Box::pin(future), None)
}

impl<T> Polled<T> {
    fn is_pending(&mut self) -> bool {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match self.0.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => {
                self.1 = Some(value);
                false
            }
            std::task::Poll::Pending => true,
        }
    }

    async fn finish(self) -> T {
        match self.1 {
            Some(value) => value,
            None => self.0.await,
        }
    }
}
