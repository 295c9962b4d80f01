//! The ledger's promises, each as it looks from the next process.

use super::{Arrival, Arrived, Bounds, Handed, Ledger, NewDelivery, Progress};
use crate::{Settings, Store, Time};

const BOUNDS: Bounds = Bounds { of_conversation: 3, of_all: 5 };

fn arrival(source: &str, key: &str) -> Arrival {
    Arrival {
        platform: "test".to_owned(),
        source: source.to_owned(),
        session_key: key.to_owned(),
        message: format!("{{\"text\":\"{source}\"}}"),
        route: "{}".to_owned(),
    }
}

fn delivery(address: &str, content: &str, answers: Option<i64>) -> NewDelivery {
    NewDelivery {
        platform: "test".to_owned(),
        address: address.to_owned(),
        session_key: "k".to_owned(),
        answers,
        content: content.to_owned(),
    }
}

/// What a process that starts next sees.
fn next(folder: &tempfile::TempDir) -> Ledger {
    Ledger::open(&Store::of(folder.path(), Settings::default()))
}

fn number(arrived: Arrived) -> i64 {
    match arrived {
        Arrived::New(number) => number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_is_accepted_once_and_its_route_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let first = number(next(&folder).accept(&arrival("1", "k"), BOUNDS).unwrap());
    assert_eq!(next(&folder).accept(&arrival("1", "k"), BOUNDS).unwrap(), Arrived::Repeated);
    let open = next(&folder).open_messages().unwrap();
    assert_eq!((open.len(), open[0].number, open[0].progress), (1, first, Progress::Waiting));
    next(&folder).settle(&[first], &[]).unwrap();
    assert_eq!(next(&folder).accept(&arrival("1", "k"), BOUNDS).unwrap(), Arrived::Repeated);
    assert_eq!(next(&folder).route("k").unwrap().as_deref(), Some("{}"));
    assert_eq!(next(&folder).route("other").unwrap(), None);
}

#[test]
fn open_messages_are_bounded_for_a_conversation_and_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = next(&folder);
    for source in ["1", "2", "3"] {
        number(ledger.accept(&arrival(source, "a"), BOUNDS).unwrap());
    }
    assert_eq!(ledger.accept(&arrival("4", "a"), BOUNDS).unwrap(), Arrived::ConversationFull);
    for source in ["5", "6"] {
        number(ledger.accept(&arrival(source, "b"), BOUNDS).unwrap());
    }
    assert_eq!(ledger.accept(&arrival("7", "c"), BOUNDS).unwrap(), Arrived::Full);
    ledger.settle(&[ledger.open_messages().unwrap()[0].number], &[]).unwrap();
    number(ledger.accept(&arrival("7", "c"), BOUNDS).unwrap());
}

#[test]
fn what_was_begun_is_known_and_settling_says_its_reply_once() {
    let folder = tempfile::tempdir().unwrap();
    let message = number(next(&folder).accept(&arrival("1", "k"), BOUNDS).unwrap());
    next(&folder).begin(&[message]).unwrap();
    let open = next(&folder).open_messages().unwrap();
    assert_eq!((open[0].progress, open[0].attempts), (Progress::Begun, 1));
    let reply = delivery("chat", "reply", Some(message));
    assert_eq!(next(&folder).settle(&[message], std::slice::from_ref(&reply)).unwrap().len(), 1);
    // Whoever comes too late says nothing more.
    assert_eq!(next(&folder).settle(&[message], &[reply]).unwrap().len(), 0);
    next(&folder).begin(&[message]).unwrap();
    assert_eq!(next(&folder).open_messages().unwrap(), []);
    let due = next(&folder).due("test", 10).unwrap();
    assert_eq!((due.len(), due[0].content.as_str(), due[0].handed), (1, "reply", Handed::No));
}

#[test]
fn a_delivery_is_tried_delivered_or_given_up_and_then_done_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = next(&folder)
        .put(&[delivery("a", "one", None), delivery("a", "two", None), delivery("b", "three", None)])
        .unwrap();
    let ledger = next(&folder);
    let heads: Vec<_> = ledger.due("test", 10).unwrap().into_iter().map(|due| due.number).collect();
    assert_eq!(heads, [numbers[0], numbers[2]], "one of each address, the oldest");
    ledger.trying(numbers[0]).unwrap();
    assert_eq!(next(&folder).due("test", 10).unwrap()[0].handed, Handed::Perhaps);
    ledger.not_yet(numbers[0], "busy").unwrap();
    let due = next(&folder).due("test", 10).unwrap();
    assert_eq!((due[0].handed, due[0].attempts), (Handed::No, 1));
    ledger.delivered(numbers[0], Some("m1")).unwrap();
    ledger.given_up(numbers[1], "gone").unwrap();
    for number in &numbers[..2] {
        ledger.trying(*number).unwrap();
        ledger.not_yet(*number, "late").unwrap();
    }
    let due = next(&folder).due("test", 10).unwrap();
    assert_eq!(due.iter().map(|due| due.number).collect::<Vec<_>>(), [numbers[2]]);
    assert_eq!(next(&folder).due_count().unwrap(), 1);
    assert_eq!(next(&folder).due("other", 10).unwrap(), []);
}

#[test]
fn only_what_is_done_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = next(&folder);
    let settled = number(ledger.accept(&arrival("1", "k"), BOUNDS).unwrap());
    number(ledger.accept(&arrival("2", "k"), BOUNDS).unwrap());
    let numbers = ledger.settle(&[settled], &[delivery("a", "x", None), delivery("a", "y", None)]).unwrap();
    ledger.delivered(numbers[0], None).unwrap();
    assert_eq!(ledger.prune(Time::from_microseconds(0)).unwrap(), 0);
    // One message, one delivery, one route.
    assert_eq!(ledger.prune(Time::from_microseconds(i64::MAX)).unwrap(), 3);
    assert_eq!((ledger.open_messages().unwrap().len(), ledger.due_count().unwrap()), (1, 1));
}
