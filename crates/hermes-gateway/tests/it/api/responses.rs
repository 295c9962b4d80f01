//! `/v1/responses`: kept, gone on from, and nobody else's.

use serde_json::{Value, json};

use super::client::{Answer, call};
use crate::ground::{Ground, Running};

async fn create(running: &Running, headers: &[(&str, &str)], body: &Value) -> Answer {
    call(running, "POST", "/v1/responses", headers, body).await
}

fn text(answer: &Answer) -> String {
    let body = answer.json();
    assert_eq!((answer.status, &body["status"]), (200, &json!("completed")), "{answer:?}");
    body["output"][0]["content"][0]["text"].as_str().unwrap().to_owned()
}

fn id(answer: &Answer) -> String {
    answer.json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_is_kept_and_gone_on_from() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let first = create(&running, &[], &json!({"input": "say one", "instructions": "be brief"})).await;
    assert_eq!(text(&first), "one");
    let path = format!("/v1/responses/{}", id(&first));
    assert_eq!(call(&running, "GET", &path, &[], &Value::Null).await.json(), first.json());
    let input = json!([{"role": "user", "content": [{"type": "input_text", "text": "heard"}]}]);
    let second = create(&running, &[], &json!({"input": input, "previous_response_id": id(&first)})).await;
    assert_eq!(text(&second), "say one|heard");
    assert_eq!(second.header("x-hermes-session-id"), first.header("x-hermes-session-id"));
    let third = create(&running, &[], &json!({"input": "told", "previous_response_id": id(&second)})).await;
    assert_eq!(text(&third), "be brief", "instructions stay");
    // From the first again: the second is not part of it.
    let branch = create(&running, &[], &json!({"input": "heard", "previous_response_id": id(&first)})).await;
    assert_eq!(text(&branch), "say one|heard");
    assert_ne!(branch.header("x-hermes-session-id"), first.header("x-hermes-session-id"));
    let told = json!({"input": "told", "previous_response_id": id(&branch), "instructions": "be kind"});
    assert_eq!(text(&create(&running, &[], &told).await), "be kind");
    assert_eq!(call(&running, "DELETE", &path, &[], &Value::Null).await.json()["deleted"], true);
    for method in ["GET", "DELETE"] {
        assert_eq!(call(&running, method, &path, &[], &Value::Null).await.status, 404);
    }
    let gone = create(&running, &[], &json!({"input": "x", "previous_response_id": id(&first)})).await;
    let expected = (404, Some("previous_response_id".to_owned()), "previous_response_not_found".to_owned());
    assert_eq!(gone.error(), expected);
    let unkept = create(&running, &[], &json!({"input": "say x", "store": false})).await;
    let path = format!("/v1/responses/{}", id(&unkept));
    assert_eq!(call(&running, "GET", &path, &[], &Value::Null).await.status, 404);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn named_conversations_go_on_and_other_keys_have_their_own() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let mine = [("X-Hermes-Session-Key", "mine")];
    let body = |input: &str| json!({"input": input, "conversation": "talk"});
    let first = create(&running, &mine, &body("say one")).await;
    assert_eq!(text(&first), "one");
    assert_eq!(text(&create(&running, &mine, &body("heard")).await), "say one|heard");
    let path = format!("/v1/responses/{}", id(&first));
    let previous = json!({"input": "heard", "previous_response_id": id(&first)});
    for others in [&[][..], &[("X-Hermes-Session-Key", "other")]] {
        assert_eq!(text(&create(&running, others, &body("heard")).await), "heard");
        assert_eq!(call(&running, "GET", &path, others, &Value::Null).await.status, 404);
        assert_eq!(call(&running, "DELETE", &path, others, &Value::Null).await.status, 404);
        assert_eq!(create(&running, others, &previous).await.status, 404);
    }
    assert_eq!(call(&running, "GET", &path, &mine, &Value::Null).await.status, 200);
    let both = json!({"input": "x", "conversation": "talk", "previous_response_id": id(&first)});
    assert_eq!(create(&running, &mine, &both).await.error().1.as_deref(), Some("conversation"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_go_on_from_one_response_do_not_mix() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let first = create(&running, &[], &json!({"input": "say one"})).await;
    let body = json!({"input": "heard", "previous_response_id": id(&first)});
    let (a, b, c) =
        tokio::join!(create(&running, &[], &body), create(&running, &[], &body), create(&running, &[], &body));
    for answer in [a, b, c] {
        assert_eq!(text(&answer), "say one|heard");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_as_openai_sends_them() {
    let ground = Ground::new().serving_api("");
    let running = ground.start();
    let answer = create(&running, &[], &json!({"input": "say one", "stream": true})).await;
    let events = answer.events();
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    let data: Vec<Value> = events.iter().map(|(_, data)| serde_json::from_str(data).unwrap()).collect();
    assert!(data.iter().zip(&names).all(|(data, name)| data["type"] == **name));
    assert!((0_u64..).zip(&data).all(|(number, data)| data["sequence_number"] == number));
    let response = &data.last().unwrap()["response"];
    assert_eq!(response["output"][0]["content"][0]["text"], "one");
    let path = format!("/v1/responses/{}", response["id"].as_str().unwrap());
    assert_eq!(&call(&running, "GET", &path, &[], &Value::Null).await.json(), response);
    running.stop().await;
}
