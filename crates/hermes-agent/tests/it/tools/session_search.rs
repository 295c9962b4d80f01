//! A chat finds its own earlier sessions, and never another's words.

use std::sync::Arc;

use hermes_proto::consent::NobodyToAsk;
use hermes_proto::message::Message;
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use hermes_store::sessions::{NewSession, Said, Sessions};
use serde_json::json;

use super::{Bench, call};

const ONE: &str = "agent:main:telegram:dm:1";
const OTHER: &str = "agent:main:telegram:dm:2";

fn bench() -> Bench {
    let bench = Bench::new();
    let store = hermes_store::Store::of(bench.home().path(), hermes_store::Settings::default());
    let sessions = Sessions::open(&store);
    for (key, words) in
        [(Some(ONE), "the pelican of one"), (Some(OTHER), "the pelican of other"), (None, "the pelican of nobody")]
    {
        let id = sessions.create(&NewSession { key: key.map(str::to_owned), ..NewSession::from("test") }).unwrap();
        sessions
            .append(&id, &[Said::from(Message::user(words)), Said::from(Message::assistant("heard of a pelican"))])
            .unwrap();
    }
    bench
}

fn arrived(surface: Surface) -> TurnContext {
    TurnContext::arrived(&Hosting::new(), Edge::new(surface, Arc::new(NobodyToAsk)))
}

fn of_chat(surface: Surface, key: &str) -> TurnContext {
    arrived(surface).bind([(SessionVariable::Key, key.to_owned())], Delivery::Supported)
}

async fn found(bench: &Bench, turn: &TurnContext) -> Result<Vec<String>, String> {
    let query = json!({"query": "pelican", "role_filter": "user"});
    let reply = call(&bench.context(turn), "session_search", query).await;
    if let Some(error) = reply.content["error"].as_str() {
        return Err(error.to_owned());
    }
    let results = reply.content["results"].as_array().unwrap();
    let plain = |text: &str| text.replace(['[', ']', '*', '<', '>'], "");
    let mut words: Vec<_> = results.iter().map(|hit| plain(hit["snippet"].as_str().unwrap())).collect();
    words.sort();
    Ok(words)
}

#[tokio::test]
async fn another_chats_words_never_appear() {
    let bench = bench();
    for surface in [Surface::Gateway, Surface::Ask, Surface::Cron, Surface::Unattended, Surface::Headless] {
        for (key, own) in [(ONE, "of one"), (OTHER, "of other")] {
            let words = found(&bench, &of_chat(surface, key)).await.unwrap();
            assert_eq!(words.len(), 1, "{surface:?} {key}: {words:?}");
            assert!(words[0].ends_with(own), "{words:?}");
        }
        assert_eq!(found(&bench, &of_chat(surface, "agent:main:telegram:dm:3")).await.unwrap(), [] as [String; 0]);
    }
}

/// A turn that lost its key must not become everybody's.
#[tokio::test]
async fn a_turn_without_a_key_finds_nothing() {
    let bench = bench();
    let cleared = |surface| arrived(surface).bind([], Delivery::Supported);
    let emptied = |surface| of_chat(surface, "");
    for surface in [Surface::Gateway, Surface::Ask, Surface::Cron, Surface::Unattended, Surface::Headless] {
        for turn in [cleared(surface), emptied(surface)] {
            let error = found(&bench, &turn).await.unwrap_err();
            assert!(error.contains("this turn belongs to no conversation"), "{surface:?}: {error}");
        }
    }
    assert!(found(&bench, &arrived(Surface::Gateway)).await.is_err(), "a chat that is not bound yet");
}

#[tokio::test]
async fn who_sits_at_the_homes_own_terminal_finds_everything() {
    let bench = bench();
    for surface in [Surface::Interactive, Surface::SingleQuery] {
        // A terminal's session has a key of its own, under which nothing else was said.
        for turn in [arrived(surface), of_chat(surface, "cli:7")] {
            let words = found(&bench, &turn).await.unwrap();
            assert_eq!(words.len(), 3, "{words:?}");
        }
    }
}
