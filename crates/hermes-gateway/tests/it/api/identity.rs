//! Of ten chats over the API at once, each command knows its own session and no other.

use std::sync::Arc;

use hermes_agent::ToolReply;
use hermes_proto::session::{Binding, SessionVariable};
use serde_json::{Value, json};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::client::chat;
use crate::ground::Ground;

const CHATS: usize = 12;

#[tokio::test(flavor = "multi_thread")]
async fn chats_at_once_keep_their_own_session_id_and_key() {
    let barrier = Arc::new(Barrier::new(CHATS));
    let ground = Ground::new().serving_api(&format!(", max_concurrent_runs: {CHATS}")).tool("whoami", move |context| {
        let barrier = barrier.clone();
        async move {
            // All are in the middle of their turns.
            barrier.wait().await;
            let value = |name: SessionVariable| {
                let mut all = context.turn.variables().iter();
                match all.find(|(found, _)| *found == name).map(|(_, binding)| binding.clone()) {
                    Some(Binding::Set(text)) => text,
                    _ => String::new(),
                }
            };
            let seen = json!({"id": value(SessionVariable::Id), "key": value(SessionVariable::Key)});
            barrier.wait().await;
            ToolReply::done(seen, "seen")
        }
    });
    let running = Arc::new(ground.start());
    let mut chats = JoinSet::new();
    for number in 0..CHATS {
        let running = running.clone();
        chats.spawn(async move {
            let key = format!("key-{number}");
            // Every second one chooses no key.
            let headers = [("X-Hermes-Session-Key", key.as_str())];
            let chosen = if number.is_multiple_of(2) { &headers[..] } else { &[] };
            (chosen.first().map(|_| key.clone()), chat(&running, chosen, "call whoami").await)
        });
    }
    let mut keys = std::collections::BTreeSet::new();
    while let Some(done) = chats.join_next().await {
        let (key, answer) = done.unwrap();
        let whole = answer.json();
        let seen: Value = serde_json::from_str(whole["choices"][0]["message"]["content"].as_str().unwrap()).unwrap();
        assert_eq!(seen["id"].as_str(), answer.header("x-hermes-session-id"), "{answer:?}");
        let own = seen["key"].as_str().unwrap();
        match key {
            Some(key) => assert_eq!(own, key),
            None => assert!(own.starts_with("agent:main:api_server:dm:"), "{own}"),
        }
        keys.insert(own.to_owned());
    }
    assert_eq!(keys.len(), CHATS);
    Arc::into_inner(running).unwrap().stop().await;
}
