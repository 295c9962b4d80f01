//! Requests that are too large, too deep, cut off or too many.

use serde_json::json;

use super::client::{Exchange, chat, key, request};
use crate::ground::Ground;

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_bounded_and_lies_about_them_found() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let (name, value) = key();
    let headers = [(name, value.as_str())];
    let post = |body: &str| request("POST", "/v1/chat/completions", &headers, body);
    let large = format!("{{\"messages\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let answer = Exchange::of(&running, &post(&large)).await.answer().await;
    assert_eq!(answer.error(), (413, None, "request_too_large".to_owned()));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(Exchange::of(&running, &post(&deep)).await.answer().await.status, 400);
    for text in ["", "{", "null", "{\"messages\": []} x", "\u{0}"] {
        assert_eq!(Exchange::of(&running, &post(text)).await.answer().await.status, 400, "{text:?}");
    }
    // It says that more comes than does: the rest of the request is then the next request, which makes no sense.
    let mut short = String::from_utf8(post("{\"messages\": []} and more")).unwrap();
    short = short.replace("Content-Length: 25", "Content-Length: 16");
    assert_eq!(Exchange::of(&running, short.as_bytes()).await.answer().await.status, 400);
    let mut twice = String::from_utf8(post("{}")).unwrap();
    twice = twice.replace("Content-Length: 2", "Content-Length: 2\r\nContent-Length: 3");
    assert_eq!(Exchange::of(&running, twice.as_bytes()).await.answer().await.status, 400);
    let long = json!({"messages": [{"role": "user", "content": "x".repeat(300_000)}]}).to_string();
    let answer = Exchange::of(&running, &post(&long)).await.answer().await;
    assert_eq!(answer.error(), (413, None, "request_too_large".to_owned()));
    assert_eq!(chat(&running, &[], "say fine").await.status, 200);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_runs_than_may_be_are_told_to_come_later() {
    let ground = Ground::new().serving_api(", max_concurrent_runs: 1");
    let running = ground.start();
    let (name, value) = key();
    let body = json!({"messages": [{"role": "user", "content": "wait done"}]}).to_string();
    let bytes = request("POST", "/v1/chat/completions", &[(name, &value)], &body);
    let first = Exchange::of(&running, &bytes).await;
    ground.server.received(1).await;
    let second = chat(&running, &[], "say x").await;
    assert_eq!(second.error(), (429, None, "rate_limit_exceeded".to_owned()));
    assert!(second.header("retry-after").unwrap().parse::<u64>().unwrap() > 0);
    ground.gate.open();
    assert_eq!(first.answer().await.json()["choices"][0]["message"]["content"], "done");
    assert_eq!(chat(&running, &[], "say x").await.status, 200, "its place is free again");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_somebody_has_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let ground = Ground::new()
        .with(&format!("gateway: {{api_server: {{enabled: true, port: {port}, key: {}}}}}", crate::ground::KEY));
    let running = ground.start();
    let mut view = running.view.clone();
    let state = loop {
        let health = view.health();
        match health.get(&"api_server".parse().unwrap()) {
            Some(hermes_gateway::AdapterState::NeedsAttention { error }) => break error.clone(),
            _ => view.changed().await,
        }
    };
    assert!(state.contains(&port.to_string()) && state.contains("another program has it"), "{state}");
    running.stop().await;
}
