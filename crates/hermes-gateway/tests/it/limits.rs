//! Bounds: conversations at once, messages that wait, and ids that strangers choose.

use hermes_gateway::{NotAccepted, Progress};

use crate::ground::{Ground, direct, id};

#[tokio::test(flavor = "multi_thread")]
async fn more_conversations_than_places_wait_in_order_and_are_told() {
    let ground = Ground::new().with("max_concurrent_sessions: 1");
    let running = ground.start();
    running.says("a", "1", "wait one").await;
    ground.server.received(1).await;
    running.says("b", "1", "say two").await;
    running.says("c", "1", "say three").await;
    let sessions = running.view.sessions().await;
    assert_eq!(sessions.len(), 3);
    ground.gate.open();
    assert_eq!(running.hears("a").await, "one");
    // Two places in line, in the order they came: what b says is asked before what c says.
    let mut heard = vec![running.hears_any().await, running.hears_any().await];
    heard.sort();
    assert_eq!(heard, ["three", "two"]);
    let asked: Vec<_> = ground.server.requests().iter().map(|request| request.body["messages"].to_string()).collect();
    assert!(asked[1].contains("say two") && asked[2].contains("say three"), "{asked:?}");
    let waiting: Vec<_> = running
        .adapter
        .shown()
        .into_iter()
        .filter_map(|(showing, progress)| match progress {
            Progress::Waiting { ahead } => Some((showing.to.chat.to_string(), ahead)),
            _ => None,
        })
        .collect();
    assert!(waiting.contains(&("b".to_owned(), 1)) && waiting.contains(&("c".to_owned(), 2)), "{waiting:?}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_one_conversation_is_refused_and_others_are_served() {
    let ground = Ground::new().with("display: {busy_input_mode: queue}");
    let running = ground.start();
    running.says("a", "0", "never").await;
    let mut refused = 0;
    for number in 1..100 {
        match running.inbox.accept(direct("a", &number.to_string(), "say x")).await {
            Ok(_) => {}
            Err(NotAccepted::ConversationFull) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(refused, 99 - 31);
    running.says("b", "1", "say fine").await;
    assert_eq!(running.hears("b").await, "fine");
    let long = "x".repeat(300 * 1024);
    assert!(matches!(running.inbox.accept(direct("c", "1", &long)).await, Err(NotAccepted::TooLong(_))));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_ids_name_their_own_conversation_and_no_other() {
    let ground = Ground::new();
    let running = ground.start();
    running.says("1", "1", "say secret").await;
    running.hears("1").await;
    for chat in ["1:2", "1%3A2", "1 ", "%31", "1#1", "1\u{200b}", "1'; DROP TABLE inbox; --", "{\"a\":1}"] {
        running.says(chat, "1", "heard").await;
        assert_eq!(running.hears(chat).await, "heard", "{chat}");
    }
    let mut given = direct("9", "9", "heard");
    given.key = Some("agent:main:test:dm:1".parse().unwrap());
    assert!(matches!(running.inbox.accept(given).await, Err(NotAccepted::Reserved(_))));
    assert!("a/../b".parse::<hermes_gateway::Identifier>().is_err());
    assert_eq!(id("1").as_str(), "1");
    running.stop().await;
}
