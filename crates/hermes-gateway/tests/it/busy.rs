//! One turn of a conversation at a time, and what becomes of what is said meanwhile.

use std::sync::Arc;

use hermes_agent::ToolReply;
use hermes_gateway::Content;
use serde_json::json;
use tokio::sync::Notify;

use crate::ground::Ground;

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_and_others_know_nothing_of_it() {
    let ground = Ground::new();
    let running = ground.start();
    running.says("a", "1", "say one").await;
    assert_eq!(running.hears("a").await, "one");
    running.says("b", "1", "heard").await;
    assert_eq!(running.hears("b").await, "heard");
    running.says("a", "2", "heard").await;
    assert_eq!(running.hears("a").await, "say one|heard");
    running.stop().await;
    // A new process goes on where the old one ended.
    let running = ground.start();
    running.says("a", "3", "heard").await;
    assert_eq!(running.hears("a").await, "say one|heard|heard");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_worked_on_once_however_often_it_comes() {
    let ground = Ground::new();
    let running = ground.start();
    running.says("a", "1", "say one").await;
    let again = running.inbox.accept(crate::ground::direct("a", "1", "say one")).await.unwrap();
    assert_eq!(again, hermes_gateway::Accepted::Repeated);
    assert_eq!(running.hears("a").await, "one");
    running.says("a", "2", "say two").await;
    assert_eq!(running.hears("a").await, "two");
    assert_eq!(ground.server.requests().len(), 2);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn queued_messages_wait_for_the_running_turn() {
    let ground = Ground::new().with("display: {busy_input_mode: queue}");
    let running = ground.start();
    running.says("a", "1", "wait first").await;
    ground.server.received(1).await;
    running.says("a", "2", "say second").await;
    running.says("b", "1", "say other").await;
    assert_eq!(running.hears("b").await, "other");
    ground.gate.open();
    assert_eq!(running.hears("a").await, "first");
    assert_eq!(running.hears("a").await, "second");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_message_takes_the_place_of_the_running_turn() {
    let ground = Ground::new();
    let running = ground.start();
    running.says("a", "1", "never").await;
    ground.server.received(1).await;
    running.says("a", "2", "say second").await;
    let first = running.adapter.next().await;
    assert!(matches!(&first.content, Content::Notice { text } if text.contains("newer message")), "{first:?}");
    assert_eq!(running.hears("a").await, "second");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_steered_turn_hears_what_was_said_and_answers_for_it() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let told = (begun.clone(), go_on.clone());
    let ground = Ground::new().with("display: {busy_input_mode: steer}").tool("works", move |_| {
        let (begun, go_on) = told.clone();
        async move {
            begun.notify_one();
            go_on.notified().await;
            ToolReply::done(json!("worked"), "worked")
        }
    });
    let running = ground.start();
    running.says("a", "1", "call works").await;
    begun.notified().await;
    running.says("a", "2", "heard").await;
    // Orders are taken in order: when this is answered, the remark is with the turn.
    assert_eq!(running.view.sessions().await[0].queued, 0);
    go_on.notify_one();
    assert_eq!(running.hears("a").await, "call works|heard");
    running.says("a", "3", "say on").await;
    assert_eq!(running.hears("a").await, "on");
    assert!(running.adapter.rest().await.is_empty());
    running.stop().await;
}
