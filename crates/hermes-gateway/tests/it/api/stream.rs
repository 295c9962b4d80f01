//! `/v1/chat/completions`, streamed.

use hermes_agent::ToolReply;
use serde_json::{Value, json};

use super::client::{Exchange, call, key, request};
use crate::ground::{Ground, Running};

fn body(text: &str, more: &Value) -> Value {
    let mut body = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": text}]});
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    body
}

async fn begin(running: &Running, text: &str) -> Exchange {
    let (name, value) = key();
    let bytes = request("POST", "/v1/chat/completions", &[(name, &value)], &body(text, &json!({})).to_string());
    Exchange::of(running, &bytes).await
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_are_as_openai_sends_them() {
    let ground =
        Ground::new().serving_api("").tool("peek", |_| async { ToolReply::done(json!({"found": "it"}), "peeked") });
    let running = ground.start();
    let usage = json!({"stream_options": {"include_usage": true}});
    let answer = call(&running, "POST", "/v1/chat/completions", &[], &body("call peek", &usage)).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    assert!(answer.header("x-hermes-session-id").is_some());
    let events = answer.events();
    assert_eq!(events.last().unwrap().1, "[DONE]");
    let chunks: Vec<(String, Value)> = events[..events.len() - 1]
        .iter()
        .map(|(name, data)| (name.clone(), serde_json::from_str(data).unwrap()))
        .collect();
    assert!(chunks.iter().all(|(_, chunk)| chunk["object"] == "chat.completion.chunk" && chunk["choices"].is_array()));
    assert_eq!(chunks[0].1["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    let tools: Vec<_> = chunks.iter().filter(|(name, _)| name == "hermes.tool.progress").collect();
    let status = |chunk: &Value| (chunk["tool"].clone(), chunk["status"].clone(), chunk["toolCallId"].clone());
    assert_eq!(status(&tools[0].1), (json!("peek"), json!("running"), json!("c2")));
    assert_eq!(status(&tools[1].1), (json!("peek"), json!("completed"), json!("c2")));
    let text: String =
        chunks.iter().filter_map(|(_, chunk)| chunk["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "{\"found\":\"it\"}");
    let [.., (_, finish), (_, last)] = chunks.as_slice() else { panic!() };
    assert_eq!((&finish["choices"][0]["finish_reason"], &finish["usage"]), (&json!("stop"), &Value::Null));
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_come_as_they_are_said() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let mut exchange = begin(&running, "slowly").await;
    exchange.reads("\"one \"").await;
    ground.gate.open();
    exchange.reads("\"two\"").await;
    exchange.reads("[DONE]").await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_who_leaves_stops_the_turn() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let mut streaming = begin(&running, "slowly").await;
    streaming.reads("\"one \"").await;
    drop(streaming);
    ground.server.abandoned(1).await;
    // The same without streaming.
    let (name, value) = key();
    let waiting = json!({"messages": [{"role": "user", "content": "never"}]}).to_string();
    let plain = Exchange::of(&running, &request("POST", "/v1/chat/completions", &[(name, &value)], &waiting)).await;
    ground.server.received(2).await;
    drop(plain);
    ground.server.abandoned(2).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_before_the_first_word_has_a_status() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let answer = call(&running, "POST", "/v1/chat/completions", &[], &body("fail", &json!({}))).await;
    assert!(matches!(answer.error().0, 400 | 502), "{answer:?}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_under_way_is_answered_while_the_gateway_drains() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let mut exchange = begin(&running, "slowly").await;
    exchange.reads("\"one \"").await;
    running.begin_to_stop();
    // A new one is refused from then on, which may take a moment.
    while super::client::chat(&running, &[], "say x").await.status == 200 {}
    let refused = super::client::chat(&running, &[], "say x").await;
    assert_eq!(refused.error(), (503, None, "stopping".to_owned()));
    assert!(refused.header("retry-after").is_some());
    ground.gate.open();
    exchange.reads("\"two\"").await;
    exchange.reads("[DONE]").await;
    running.stop().await;
}
