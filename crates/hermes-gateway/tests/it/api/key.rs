//! Nothing is told to whoever does not show the key.

use super::client::{Exchange, call, request};
use crate::ground::{Ground, KEY};

#[tokio::test(flavor = "multi_thread")]
async fn every_address_needs_the_key_and_tells_nothing_without() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let wrong = format!("Bearer {KEY}x");
    let mut seen = Vec::new();
    for (method, path) in [
        ("POST", "/v1/chat/completions"),
        ("POST", "/v1/responses"),
        ("GET", "/v1/responses/x"),
        ("GET", "/v1/models"),
        ("GET", "/v1/capabilities"),
        ("GET", "/v1/skills"),
        ("GET", "/v1/toolsets"),
        ("GET", "/no/such/address"),
        ("PUT", "/v1/models"),
    ] {
        for headers in [&[][..], &[("Authorization", wrong.as_str())], &[("Authorization", KEY)]] {
            let answer = Exchange::of(&running, &request(method, path, headers, "{")).await.answer().await;
            assert_eq!(answer.error(), (401, None, "invalid_api_key".to_owned()), "{method} {path}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            seen.push(answer.body);
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 1, "what exists and what does not answer alike: {seen:?}");
    for path in ["/health", "/v1/health"] {
        let answer = Exchange::of(&running, &request("GET", path, &[], "")).await.answer().await;
        assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"status":"ok","platform":"hermes-agent"}"#));
    }
    assert!(ground.server.requests().is_empty(), "no turn ran");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_key_the_catalogue_is_there() {
    let ground = Ground::new()
        .serving_api(", model_name: helper")
        .tool("peek", |_| async { hermes_agent::ToolReply::done(serde_json::json!({}), "peeked") });
    let running = ground.start();
    let get = async |path: &str| call(&running, "GET", path, &[], &serde_json::Value::Null).await;
    assert_eq!(get("/v1/models").await.json()["data"][0]["id"], "helper");
    assert_eq!(get("/v1/models/helper").await.json()["object"], "model");
    assert_eq!(get("/v1/models/other").await.error(), (404, Some("model".to_owned()), "model_not_found".to_owned()));
    assert_eq!(get("/v1/capabilities").await.json()["auth"]["required"], true);
    assert_eq!(get("/v1/skills").await.json()["data"], serde_json::json!([]));
    assert_eq!(get("/v1/toolsets").await.json()["data"][0]["tools"], serde_json::json!(["peek"]));
    assert_eq!(get("/v1/nothing").await.error(), (404, None, "not_found".to_owned()));
    let answer = call(&running, "DELETE", "/v1/models", &[], &serde_json::Value::Null).await;
    assert_eq!(answer.error(), (405, None, "method_not_allowed".to_owned()));
    running.stop().await;
}
