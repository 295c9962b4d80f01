//! A turn that panics, hangs or fails ends alone, and its chat is told.

use hermes_agent::ToolReply;
use hermes_gateway::Content;
use serde_json::json;

use crate::ground::Ground;

fn notice(outgoing: &hermes_gateway::Outgoing) -> &str {
    match &outgoing.content {
        Content::Notice { text } => text,
        _ => panic!("{outgoing:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_does_nothing_for_too_long_is_ended_and_told() {
    let ground = Ground::new().with("agent: {gateway_timeout: 1, session_stall_timeout: 0}");
    let running = ground.start();
    running.says("a", "1", "never").await;
    running.says("b", "1", "say fine").await;
    let (mut told, mut fine) = (false, false);
    for _ in 0..2 {
        let outgoing = running.adapter.next().await;
        match outgoing.to.chat.as_str() {
            "a" => told = notice(&outgoing).contains("nothing happened for too long"),
            _ => fine = outgoing.content.text() == "fine",
        }
    }
    assert!(told && fine);
    running.says("a", "2", "say again").await;
    assert_eq!(running.hears("a").await, "again");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_is_told_without_what_belongs_to_this_machine() {
    let ground = Ground::new();
    let running = ground.start();
    running.says("a", "1", "say ok").await;
    assert_eq!(running.hears("a").await, "ok");
    running.says("a", "2", "call no-such-tool").await;
    // The model is told that there is no such tool, and its answer is the turn's.
    assert!(running.hears("a").await.contains("no-such-tool"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_the_adapter_or_a_tool_harms_nobody_else() {
    let ground = Ground::new()
        .tool("explodes", |_| async { panic!("on purpose") })
        .tool("works", |_| async { ToolReply::done(json!("worked"), "worked") });
    let running = ground.start();
    let first = std::sync::atomic::AtomicBool::new(true);
    running.adapter.answer_with(move |_| {
        assert!(!first.swap(false, std::sync::atomic::Ordering::SeqCst), "on purpose");
        Ok(hermes_gateway::Receipt { message: None })
    });
    running.says("a", "1", "call explodes").await;
    running.says("b", "1", "call works").await;
    let mut chats = [running.adapter.next().await, running.adapter.next().await].map(|one| one.to.chat.to_string());
    chats.sort();
    assert_eq!(chats, ["a", "b"]);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_panics_is_told_to_its_chat_and_the_conversation_goes_on() {
    let ground = Ground::new();
    let running = ground.start();
    // Showing progress is part of the turn's task, and this chat's platform panics at it.
    running.says("explodes", "1", "say one").await;
    running.says("b", "1", "say fine").await;
    let (mut told, mut fine) = (false, false);
    for _ in 0..2 {
        let outgoing = running.adapter.next().await;
        match outgoing.to.chat.as_str() {
            "explodes" => told = notice(&outgoing).contains("failed unexpectedly"),
            _ => fine = outgoing.content.text() == "fine",
        }
    }
    assert!(told && fine);
    assert!(running.view.sessions().await.is_empty());
    running.stop().await;
}
