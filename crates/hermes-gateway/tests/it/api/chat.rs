//! `/v1/chat/completions`, answered in one piece.

use serde_json::{Value, json};

use super::client::{call, chat};
use crate::ground::Ground;

async fn post(running: &crate::ground::Running, body: &Value) -> super::client::Answer {
    call(running, "POST", "/v1/chat/completions", &[], body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_messages_of_a_request_are_its_conversation() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let said = json!([
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "answer"},
        {"role": "user", "content": "heard"},
    ]);
    let body =
        json!({"model": "gpt-x", "messages": said, "tools": [{"type": "function", "function": {"name": "f"}}], "n": 1});
    let answer = post(&running, &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let whole = answer.json();
    assert_eq!(whole["choices"][0]["message"]["content"], "one|heard");
    assert_eq!((&whole["object"], &whole["model"]), (&json!("chat.completion"), &json!("gpt-x")));
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    assert!(whole["id"].as_str().unwrap().starts_with("chatcmpl-") && whole["created"].as_i64().unwrap() > 0);
    let usage = &whole["usage"];
    let sum = usage["prompt_tokens"].as_u64().unwrap() + usage["completion_tokens"].as_u64().unwrap();
    assert!(sum > 0 && usage["total_tokens"] == sum, "{usage}");
    assert!(answer.header("x-hermes-session-id").is_some() && answer.header("x-hermes-session-key").is_none());
    let told = json!({"messages": [{"role": "developer", "content": "be kind"}, {"role": "user", "content": "told"}]});
    assert_eq!(post(&running, &told).await.json()["choices"][0]["message"]["content"], "be kind");
    let sessions = hermes_store::sessions::Sessions::open(&ground.store());
    assert_eq!(sessions.stats().unwrap().sessions, 2, "one for each request");
    // The next request knows nothing of it.
    assert_eq!(chat(&running, &[], "heard").await.json()["choices"][0]["message"]["content"], "heard");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_by_its_id_from_its_own_conversation_only() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let content = |answer: &super::client::Answer| answer.json()["choices"][0]["message"]["content"].clone();
    for key in [None, Some(("X-Hermes-Session-Key", "project"))] {
        let key: Vec<_> = key.into_iter().collect();
        let first = chat(&running, &key, "say one").await;
        let session = first.header("x-hermes-session-id").unwrap().to_owned();
        assert_eq!(first.header("x-hermes-session-key"), key.first().map(|(_, key)| *key));
        let id = ("X-Hermes-Session-Id", session.as_str());
        let mut headers = vec![id];
        headers.extend(&key);
        let again = chat(&running, &headers, "heard").await;
        assert_eq!(content(&again), "say one|heard");
        assert_eq!(again.header("x-hermes-session-id"), Some(session.as_str()));
        let mut strangers = vec![vec![id, ("X-Hermes-Session-Key", "other")]];
        if !key.is_empty() {
            strangers.push(vec![id]);
        }
        for stranger in strangers {
            let refused = chat(&running, &stranger, "heard").await;
            let expected = (404, Some("x-hermes-session-id".to_owned()), "not_found".to_owned());
            assert_eq!(refused.error(), expected, "{stranger:?}");
        }
    }
    // A session of a chat is nobody's here, and ids are taken at their word.
    running.says("a", "m1", "say hello").await;
    assert_eq!(running.hears("a").await, "hello");
    let sessions = hermes_store::sessions::Sessions::open(&ground.store());
    let foreign = sessions.latest_of("test").unwrap().unwrap().id.to_string();
    for id in [foreign.as_str(), "latest", "no-such"] {
        assert_eq!(chat(&running, &[("X-Hermes-Session-Id", id)], "heard").await.status, 404, "{id}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_headers_and_fields_are_named() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let long = "k".repeat(257);
    for (name, value) in [
        ("X-Hermes-Session-Key", "agent:main:test:dm:a"),
        ("X-Hermes-Session-Key", long.as_str()),
        ("X-Hermes-Session-Key", "a\tb"),
        ("X-Hermes-Session-Id", "../../etc/passwd"),
        ("X-Hermes-Session-Id", long.as_str()),
    ] {
        let answer = chat(&running, &[(name, value)], "say x").await;
        assert_eq!(answer.error(), (400, Some(name.to_ascii_lowercase()), String::new()), "{value}");
    }
    let user = json!([{"role": "user", "content": "say x"}]);
    for (body, param) in [
        (json!({"messages": "hi"}), "messages"),
        (json!({"messages": [{"role": "user", "content": 7}]}), "messages[0].content"),
        (json!({"messages": user, "stream": "yes"}), "stream"),
        (json!({"messages": user, "model": 7}), "model"),
        (json!({"messages": []}), "messages"),
    ] {
        assert_eq!(post(&running, &body).await.error(), (400, Some(param.to_owned()), String::new()), "{body}");
    }
    assert_eq!(post(&running, &json!({"model": "m"})).await.status, 400);
    assert_eq!(post(&running, &json!([1])).await.status, 400);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn images_inside_the_request_reach_the_model_and_others_are_refused() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    // The smallest image there is.
    let png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let with = |url: &str| {
        json!({"messages": [{"role": "user", "content": [
            {"type": "text", "text": "images"}, {"type": "image_url", "image_url": {"url": url}},
        ]}]})
    };
    let answer = post(&running, &with(png)).await;
    assert_eq!(answer.json()["choices"][0]["message"]["content"], "1 images", "{answer:?}");
    let refused = post(&running, &with("http://169.254.169.254/latest")).await;
    assert_eq!(refused.error().0, 400);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_fault_a_failed_turn_is_shows_in_its_status() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let answer = chat(&running, &[], "fail").await;
    assert!(matches!(answer.status, 400 | 502), "{answer:?}");
    let home = ground.home().display().to_string();
    assert!(!answer.body.contains(&home) && !answer.body.contains("lab-key"), "{answer:?}");
    running.stop().await;
}
