//! What has to be said arrives once, in order, whatever the platform does.

use std::sync::Mutex;
use std::time::Duration;

use hermes_gateway::{Attempt, Content, DeliveryError, Receipt, Repeats};
use hermes_store::ledger::{Handed, Ledger};

use crate::adapter::TestAdapter;
use crate::ground::Ground;

#[tokio::test(flavor = "multi_thread")]
async fn a_platform_that_fails_for_a_while_gets_everything_in_order() {
    let ground = Ground::new();
    let running = ground.start();
    let failures = Mutex::new(3);
    running.adapter.answer_with(move |_| {
        let mut failures = failures.lock().unwrap();
        if *failures > 0 {
            *failures -= 1;
            return Err(DeliveryError::Later { cause: "busy".to_owned(), after: Some(Duration::from_millis(1)) });
        }
        Ok(Receipt { message: None })
    });
    running.says("a", "1", "say one").await;
    assert_eq!(running.hears("a").await, "one");
    running.says("a", "2", "say two").await;
    assert_eq!(running.hears("a").await, "two");
    running.stop().await;
    assert_eq!(Ledger::open(&ground.store()).due_count().unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_never_arrive_is_given_up_and_the_rest_goes_on() {
    let ground = Ground::new();
    let running = ground.start();
    running.adapter.answer_with(|outgoing| match outgoing.content.text() {
        "cursed" => Err(DeliveryError::never("the chat is gone")),
        _ => Ok(Receipt { message: None }),
    });
    running.says("a", "1", "say cursed").await;
    running.says("b", "1", "say two").await;
    assert_eq!(running.hears("b").await, "two");
    running.stop().await;
    assert_eq!(Ledger::open(&ground.store()).due_count().unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_comes_in_parts_in_order() {
    let ground = Ground::new();
    let running = ground.start();
    let words: Vec<_> = (0..400).map(|number| format!("word{number}")).collect();
    running.says("a", "1", &format!("say {}", words.join(" "))).await;
    let mut text = Vec::new();
    loop {
        let outgoing = running.adapter.next().await;
        let Content::Reply { text: piece, part } = outgoing.content else { panic!() };
        assert!(piece.chars().count() <= 1_000);
        text.push(piece);
        assert_eq!(part.number as usize, text.len());
        if part.number == part.of {
            break;
        }
    }
    assert!(text.len() > 2);
    assert_eq!(text.join(" "), words.join(" "));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_arrived_before_a_kill_is_marked_or_recognised() {
    for (repeats, attempt) in [(Repeats::Shown, Attempt::Again), (Repeats::Recognised, Attempt::Doubtful)] {
        let ground = Ground::new();
        let running = ground.start();
        // Something was about to be handed over when the process died.
        running.adapter.answer_with(|_| Err(DeliveryError::later("not now")));
        running.says("a", "1", "say one").await;
        let ledger = Ledger::open(&ground.store());
        let due = loop {
            let due = ledger.due("test", 10).unwrap();
            if let Some(due) = due.into_iter().find(|due| due.attempts > 0 && due.handed == Handed::No) {
                break due;
            }
            tokio::task::yield_now().await;
        };
        running.kill().await;
        ledger.trying(due.number).unwrap();
        let running = ground.start_with(TestAdapter::new(repeats));
        let outgoing = running.adapter.next().await;
        assert_eq!((outgoing.id.0, outgoing.attempt), (due.number, attempt));
        let is_marked = outgoing.content.text().contains("you may have this already");
        assert_eq!(is_marked, repeats == Repeats::Shown, "{outgoing:?}");
        running.stop().await;
    }
}
