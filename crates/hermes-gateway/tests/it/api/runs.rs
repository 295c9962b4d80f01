//! Runs: taken once, watched, steered and stopped, and never unknown.

use hermes_store::Time;
use hermes_store::runs::{NewRun, RunState, Runs};
use serde_json::{Value, json};

use super::caller::{Caller, Stream};
use super::served::{Served, ground};
use crate::ground::Ground;

pub(super) async fn begin(caller: &Caller, text: &str) -> String {
    let run = caller.post("/v1/runs", json!({"input": text})).await.expect(202);
    assert_eq!(run["object"], "hermes.run");
    run["id"].as_str().unwrap().to_owned()
}

pub(super) async fn watch(caller: &Caller, id: &str) -> Stream {
    let stream = caller.open("GET", &format!("/v1/runs/{id}/events"), None).await;
    assert_eq!((stream.head.status, stream.head.header("content-type")), (200, Some("text/event-stream")));
    stream
}

pub(super) async fn read(caller: &Caller, id: &str) -> Value {
    caller.get(&format!("/v1/runs/{id}")).await.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_on_disk_before_it_is_answered_and_tells_its_end() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let id = begin(&caller, "wait hello").await;
    // As the next process would find it.
    assert_eq!(Runs::open(&ground.store()).get("", &id).unwrap().unwrap().state, RunState::Open);
    let mut events = watch(&caller, &id).await;
    let started = events.until("run.started").await;
    let running = read(&caller, &id).await;
    assert_eq!((&running["status"], &running["session_id"]), (&json!("running"), &started.data["session_id"]));
    ground.gate.open();
    assert_eq!(events.until("message.delta").await.data["delta"], "hello");
    let rest = events.rest().await;
    assert_eq!(rest.last().unwrap().name, "run.completed");
    assert_eq!(rest.last().unwrap().data["output"], "hello");
    let ended = read(&caller, &id).await;
    assert_eq!(
        (&ended["status"], &ended["output"], &ended["end_reason"]),
        (&json!("completed"), &json!("hello"), &json!("answered"))
    );
    assert!(ended["usage"]["total_tokens"].is_u64() && ended["ended_at"].is_i64(), "{ended}");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_resumes_behind_what_it_saw() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let id = begin(&caller, "say one").await;
    let all = watch(&caller, &id).await.rest().await;
    let ids: Vec<_> = all.iter().map(|event| event.id.unwrap()).collect();
    assert_eq!(ids, (1..=all.len() as u64).collect::<Vec<_>>());
    let path = format!("/v1/runs/{id}/events");
    let mut again = caller.with("Last-Event-ID", "2").open("GET", &path, None).await;
    assert_eq!(again.event().await.unwrap().id, Some(3));
    // A number that was never given out is no reason to hide anything.
    let mut strange = caller.with("Last-Event-ID", "999999").open("GET", &path, None).await;
    assert_eq!(strange.event().await.unwrap().id, Some(1));
    assert_eq!(caller.with("Last-Event-ID", "x").get(&path).await.status, 400);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_under_the_same_name_is_done_once() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let named = served.caller().with("Idempotency-Key", "order-7");
    let body = json!({"input": "say one"});
    let first = named.post("/v1/runs", body.clone()).await.expect(202);
    let again = named.post("/v1/runs", body.clone()).await;
    assert_eq!(
        (again.expect(200)["id"].clone(), again.header("idempotent-replayed")),
        (first["id"].clone(), Some("true"))
    );
    assert_eq!(named.post("/v1/runs", json!({"input": "say two"})).await.refused(422), "idempotency_key_reused");
    // Names are their owner's.
    let other = served.scoped("other").with("Idempotency-Key", "order-7").post("/v1/runs", body).await.expect(202);
    assert_ne!(other["id"], first["id"]);
    for wrong in ["", "a b", &"x".repeat(256)] {
        let status =
            served.caller().with("Idempotency-Key", wrong).post("/v1/runs", json!({"input": "x"})).await.status;
        assert_eq!(status, 400, "{wrong:?}");
    }
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_runs_as_there_may_be_and_a_repeated_one_is_still_answered() {
    let ground = Ground::new().serving_api(", max_concurrent_runs: 1");
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let named = caller.with("Idempotency-Key", "first");
    let first = named.post("/v1/runs", json!({"input": "wait x"})).await.expect(202);
    let busy = caller.post("/v1/runs", json!({"input": "say x"})).await;
    assert_eq!((busy.refused(429).as_str(), busy.header("retry-after").is_some()), ("rate_limit_exceeded", true));
    assert_eq!(named.post("/v1/runs", json!({"input": "wait x"})).await.expect(200)["id"], first["id"]);
    ground.gate.open();
    watch(&caller, first["id"].as_str().unwrap()).await.rest().await;
    begin(&caller, "say x").await;
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_be_stopped_and_told_something() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let stopped = begin(&caller, "never").await;
    let mut events = watch(&caller, &stopped).await;
    events.until("run.started").await;
    caller.post(&format!("/v1/runs/{stopped}/stop"), json!({})).await.expect(200);
    assert_eq!(events.rest().await.last().unwrap().name, "run.cancelled");
    assert_eq!(caller.post(&format!("/v1/runs/{stopped}/stop"), json!({})).await.expect(200)["status"], "cancelled");
    let steer = |id: &str| format!("/v1/runs/{id}/steer");
    assert_eq!(caller.post(&steer(&stopped), json!({"text": "x"})).await.refused(409), "run_ended");

    let told = begin(&caller, "wait done").await;
    let mut events = watch(&caller, &told).await;
    events.until("run.started").await;
    assert_eq!(caller.post(&steer(&told), json!({"text": " "})).await.status, 400);
    caller.post(&steer(&told), json!({"text": "say other"})).await.expect(200);
    ground.gate.open();
    assert_eq!(events.rest().await.last().unwrap().name, "run.completed");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_with_a_session_and_brings_its_history() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let messages = json!([{"role": "user", "content": "earlier"}, {"role": "assistant", "content": "yes"}, {"role": "user", "content": [{"type": "text", "text": "heard"}]}]);
    let first = caller.post("/v1/runs", json!({"messages": messages})).await.expect(202);
    let end = watch(&caller, first["id"].as_str().unwrap()).await.rest().await.pop().unwrap().data;
    assert_eq!(end["output"], "earlier|heard");
    let session = end["session_id"].as_str().unwrap();
    let next = caller.post("/v1/runs", json!({"input": "heard", "session_id": session})).await.expect(202);
    let end = watch(&caller, next["id"].as_str().unwrap()).await.rest().await.pop().unwrap().data;
    assert_eq!((end["output"].as_str(), end["session_id"].as_str()), (Some("earlier|heard|heard"), Some(session)));
    for wrong in [
        json!({}),
        json!({"input": ""}),
        json!({"input": "a", "messages": []}),
        json!({"messages": []}),
        json!({"input": 5}),
    ] {
        assert_eq!(caller.post("/v1/runs", wrong.clone()).await.status, 400, "{wrong}");
    }
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_kill_a_run_is_interrupted_and_one_that_ended_has_its_result() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let done = begin(&caller, "say kept").await;
    watch(&caller, &done).await.rest().await;
    served.running.stop().await;
    // As a process leaves it that the kernel ends in the middle.
    let open = "run_0123".to_owned();
    let left =
        NewRun { id: open.clone(), owner: String::new(), detail: "{}".to_owned(), request: None, asked: String::new() };
    Runs::open(&ground.store()).take(&left, Time::now()).unwrap();

    let served = Served::on(&ground).await;
    let caller = served.caller();
    assert_eq!(read(&caller, &done).await["output"], "kept");
    let interrupted = read(&caller, &open).await;
    assert_eq!((&interrupted["status"], &interrupted["error"]["code"]), (&json!("failed"), &json!("interrupted")));
    // What happened is gone, and that is said; the end is told.
    let events = watch(&caller, &done).await.rest().await;
    let names: Vec<_> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["events.lost", "run.completed"]);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_the_model_is_told_without_the_machines_secrets() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let id = begin(&caller, "denied").await;
    let end = watch(&caller, &id).await.rest().await.pop().unwrap();
    assert_eq!(end.name, "run.failed");
    assert_eq!(end.data["error"]["code"], "model_error");
    assert!(!end.data.to_string().contains("lab-key"), "{}", end.data);
    served.running.stop().await;
}
