//! What a gateway that died leaves behind: nothing that was accepted is lost, and nothing is said twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hermes_agent::ToolReply;
use hermes_gateway::Content;
use hermes_store::ledger::{Ledger, Progress};
use serde_json::json;
use tokio::sync::Notify;

use crate::ground::{Ground, PATIENCE, direct};

#[tokio::test(flavor = "multi_thread")]
async fn work_that_had_begun_is_reported_and_what_waited_is_done() {
    let ground = Ground::new().with("max_concurrent_sessions: 1");
    let running = ground.start();
    running.says("a", "1", "never").await;
    ground.server.received(1).await;
    running.says("b", "1", "say two").await;
    running.kill().await;
    let running = ground.start();
    let (mut reported, mut done) = (false, false);
    for _ in 0..2 {
        let outgoing = running.adapter.next().await;
        match (outgoing.to.chat.as_str(), &outgoing.content) {
            ("a", Content::Notice { text }) => reported = text.contains("died"),
            ("b", Content::Reply { text, .. }) => done = text == "two",
            other => panic!("{other:?}"),
        }
    }
    assert!(reported && done);
    // It is the same conversation, and what was said is kept.
    running.says("a", "2", "heard").await;
    assert_eq!(running.hears("a").await, "never|heard");
    let adapter = running.stop().await;
    assert!(adapter.rest().await.is_empty());
    let running = ground.start();
    let adapter = running.stop().await;
    assert!(adapter.rest().await.is_empty(), "nothing is told a second time");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_accepted_message_has_one_answer_whenever_the_gateway_dies() {
    let ground = Ground::new();
    let mut answers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut accepted = Vec::new();
    for round in 0..12 {
        let running = ground.start();
        for number in 0..6 {
            let name = format!("{round}-{number}");
            running.accepts(direct(&format!("chat{number}"), &name, &format!("say {name}"))).await;
            accepted.push(name);
        }
        // Killed at another moment each time: while it works, while it delivers, or before anything.
        for _ in 0..round % 7 {
            let outgoing = running.adapter.next().await;
            record(&mut answers, &outgoing);
        }
        let adapter = running.kill().await;
        for outgoing in adapter.rest().await {
            record(&mut answers, &outgoing);
        }
    }
    let running = ground.start();
    let ledger = Ledger::open(&ground.store());
    tokio::time::timeout(PATIENCE, async {
        while !ledger.open_messages().unwrap().is_empty() || ledger.due_count().unwrap() > 0 {
            let next = tokio::time::timeout(Duration::from_millis(200), running.adapter.next()).await;
            if let Ok(outgoing) = next {
                record(&mut answers, &outgoing);
            }
        }
    })
    .await
    .expect("not everything was answered");
    let adapter = running.stop().await;
    for outgoing in adapter.rest().await {
        record(&mut answers, &outgoing);
    }
    for name in &accepted {
        let told = answers.get(name).cloned().unwrap_or_default();
        let unmarked = told.iter().filter(|text| !text.contains("you may have this already")).count();
        assert!(unmarked <= 1, "{name}: {told:?}");
        assert!(!told.is_empty(), "{name} was never answered");
    }
}

fn record(answers: &mut BTreeMap<String, Vec<String>>, outgoing: &hermes_gateway::Outgoing) {
    let message = outgoing.reply_to.as_ref().unwrap().to_string();
    answers.entry(message).or_default().push(outgoing.content.text().to_owned());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_lets_turns_end_within_the_budget_and_reports_the_rest() {
    let ground = Ground::new().with_drain(PATIENCE);
    let running = ground.start();
    running.says("a", "1", "wait one").await;
    ground.server.received(1).await;
    let (inbox, gate) = (running.inbox.clone(), ground.gate.clone());
    let stopping = tokio::spawn(running.stop());
    // It accepts nothing more, and what it works on ends.
    while inbox.accept(direct("b", "1", "say two")).await.is_ok() {}
    gate.open();
    let adapter = stopping.await.unwrap();
    let heard: Vec<_> = adapter.rest().await.iter().map(|one| one.content.text().to_owned()).collect();
    assert!(heard.contains(&"one".to_owned()), "{heard:?}");

    let ground = Ground::new();
    let running = ground.start();
    running.says("a", "1", "never").await;
    ground.server.received(1).await;
    let adapter = running.stop().await;
    let heard = adapter.rest().await;
    assert_eq!(heard.len(), 1);
    assert!(heard[0].content.text().contains("the gateway was stopped"), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_to_a_turn_that_died_is_reported_and_not_worked_on_again() {
    let (begun, never) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let told = begun.clone();
    let ground = Ground::new().with("display: {busy_input_mode: steer}").tool("hangs", move |_| {
        let (begun, never) = (told.clone(), never.clone());
        async move {
            begun.notify_one();
            never.notified().await;
            ToolReply::done(json!("never"), "never")
        }
    });
    let running = ground.start();
    running.says("a", "1", "call hangs").await;
    begun.notified().await;
    running.says("a", "2", "say again").await;
    let ledger = Ledger::open(&ground.store());
    let is_marked = async {
        while ledger.open_messages().unwrap().iter().any(|open| open.progress == Progress::Waiting) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, is_marked).await.expect("the remark is not marked");
    running.kill().await;
    let running = ground.start();
    for _ in 0..2 {
        assert!(running.hears("a").await.contains("died"));
    }
    running.says("b", "1", "say on").await;
    assert_eq!(running.hears("b").await, "on");
    assert!(running.stop().await.rest().await.is_empty());
}
