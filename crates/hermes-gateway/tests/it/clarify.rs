//! What the agent wants to know is asked in the chat, and answered by the person of its turn.

use std::sync::Arc;

use hermes_gateway::{Address, Chat, ChatKind, Content, Incoming, Person, Role};

use crate::ground::{Ground, Running, direct, id};

/// Busy messages wait, so that one which is no answer is seen as one.
fn asking() -> Ground {
    let mut ground = Ground::new().with("display: {busy_input_mode: queue}");
    ground.tools.push(Arc::new(hermes_agent::tools::Clarify));
    ground
}

async fn question(running: &Running) -> (String, Vec<String>) {
    let outgoing = running.adapter.next().await;
    match outgoing.content {
        Content::Clarify { text, choices } => (text, choices),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_message_of_the_person_is_the_answer() {
    let ground = asking();
    let running = ground.start();
    running.says("a", "1", "ask Which colour?|red|blue").await;
    let (text, choices) = question(&running).await;
    assert!(text.contains("Which colour?") && text.contains("1. red\n2. blue"), "{text}");
    assert_eq!(choices, ["red", "blue"]);
    // Another chat talks about something else.
    running.says("b", "1", "2").await;
    assert_eq!(running.hears("b").await, "you said \"2\"");
    running.says("a", "2", "2").await;
    let heard = running.hears("a").await;
    assert!(heard.contains("\"user_response\":\"blue\""), "{heard}");
    // The answer was part of that turn: nothing else is said about it.
    running.says("a", "3", "say on").await;
    assert_eq!(running.hears("a").await, "on");
    running.says("a", "4", "ask Why?").await;
    assert_eq!(question(&running).await.1, Vec::<String>::new());
    running.says("a", "5", "because").await;
    let heard = running.hears("a").await;
    assert!(heard.contains("\"user_response\":\"because\""), "{heard}");
    assert!(running.stop().await.rest().await.is_empty());
}

fn in_thread(user: &str, message: &str, text: &str) -> Incoming {
    let address = Address { platform: "test".parse().unwrap(), chat: id("group"), thread: Some(id("thread")) };
    let chat = Chat { address, kind: ChatKind::Group, name: None, parent: None, scope: None };
    Incoming::text(chat, Person::new(id(user), Role::Admin), id(message), text)
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_answers_in_a_conversation_that_people_share() {
    let ground = asking();
    let running = ground.start();
    running.accepts(in_thread("anna", "1", "ask Which?|one|two")).await;
    question(&running).await;
    running.accepts(in_thread("eve", "2", "1")).await;
    assert_eq!(running.view.sessions().await[0].queued, 1);
    // A command is no answer, whoever gives it.
    running.accepts(in_thread("anna", "3", "/frobnicate")).await;
    assert!(running.hears("group").await.contains("no command"));
    running.accepts(in_thread("anna", "4", "2")).await;
    assert!(running.hears("group").await.contains("\"user_response\":\"two\""));
    assert_eq!(running.hears("group").await, "you said \"1\"");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_ends_with_its_turn_and_with_its_time() {
    let ground = asking();
    let running = ground.start();
    running.says("a", "1", "ask Which?|one|two").await;
    question(&running).await;
    running.says("a", "2", "/stop").await;
    let mut heard = [running.hears("a").await, running.hears("a").await];
    heard.sort();
    assert_eq!(heard, ["(stopped)", "stopping"]);
    running.says("a", "3", "2").await;
    assert_eq!(running.hears("a").await, "you said \"2\"");
    running.stop().await;

    // Waiting for a person is no standstill, however long nothing happens.
    let ground = asking().with("approvals: {gateway_timeout: 3}\nagent: {gateway_timeout: 1}");
    let running = ground.start();
    running.says("a", "1", "ask Which?|one|two").await;
    question(&running).await;
    let heard = running.hears("a").await;
    assert!(heard.contains("nobody answered"), "{heard}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_and_work_beside_have_nobody_to_ask() {
    let ground = asking();
    let running = ground.start();
    let program = hermes_proto::turn::Surface::Unattended;
    running.accepts(Incoming { surface: program, ..direct("a", "1", "ask Which?|one|two") }).await;
    assert!(running.hears("a").await.contains("nobody can be asked"));
    running.says("a", "2", "/bg ask Which?|one|two").await;
    assert!(running.hears("a").await.contains("nobody can be asked"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_closes_the_question_and_loses_nothing() {
    let ground = asking();
    let running = ground.start();
    running.says("a", "1", "ask Which?|one|two").await;
    question(&running).await;
    running.kill().await;
    let running = ground.start();
    assert!(running.hears("a").await.contains("died"));
    running.says("a", "2", "1").await;
    assert_eq!(running.hears("a").await, "you said \"1\"");
    assert!(running.stop().await.rest().await.is_empty());
}
