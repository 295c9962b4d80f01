//! Questions of runs: put to their events, answered by their caller, once.

use serde_json::{Value, json};

use super::caller::Caller;
use super::runs::{begin, read, watch};
use super::served::Served;
use crate::approvals::asking;

pub(super) async fn answer(caller: &Caller, run: &str, question: &str, choice: &str) -> super::caller::Answer {
    caller.post(&format!("/v1/runs/{run}/approval"), json!({"id": question, "choice": choice})).await
}

/// A run that waits for an answer, and its question's id.
pub(super) async fn waiting(caller: &Caller) -> (String, String) {
    let run = begin(caller, "call asks").await;
    let asked = watch(caller, &run).await.until("approval.request").await;
    (run, asked.data["approval"]["id"].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_told_to_watchers_and_to_whoever_polls_and_counts_once() {
    let ground = asking().serving_api("");
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let (run, question) = waiting(&caller).await;
    let told = read(&caller, &run).await;
    assert_eq!(told["status"], "waiting_for_approval");
    let open = &told["approvals"][0];
    assert_eq!((open["id"].as_str(), open["action"].as_str()), (Some(question.as_str()), Some("rm -rf build")));
    let choices: Vec<_> = open["choices"].as_array().unwrap().iter().map(|choice| &choice["choice"]).collect();
    assert_eq!(choices, ["once", "session", "always", "deny"]);
    let mut events = watch(&caller, &run).await;
    answer(&caller, &run, &question, "once").await.expect(200);
    let closed = events.until("approval.closed").await;
    assert_eq!((&closed.data["outcome"], &closed.data["scope"]), (&json!("approved"), &json!("once")));
    let end = events.rest().await.pop().unwrap();
    assert!(end.data["output"].as_str().unwrap().contains("Approved(Once)"), "{}", end.data);
    // Twice, and after the end.
    assert_eq!(answer(&caller, &run, &question, "once").await.refused(409), "run_ended");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_tells_its_reason_and_a_second_answer_is_refused() {
    let ground = asking().serving_api("");
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let (run, question) = waiting(&caller).await;
    let mut events = watch(&caller, &run).await;
    let path = format!("/v1/runs/{run}/approval");
    let both = |choice: &'static str| caller.post(&path, json!({"id": question, "choice": choice, "reason": "no"}));
    // Whoever comes second finds it settled or the run ended; never approved after a denial.
    let (first, second) = tokio::join!(both("deny"), both("deny"));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let end = events.rest().await.pop().unwrap();
    assert!(end.data["output"].as_str().unwrap().contains("Denied"), "{}", end.data);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_was_offered_to_this_run_can_be_answered() {
    let ground = asking().serving_api("");
    let served = Served::on(&ground).await;
    let (one, other) = (served.scoped("one"), served.scoped("other"));
    let (run, question) = waiting(&one).await;
    let (_, foreign) = waiting(&other).await;
    assert_eq!(answer(&one, &run, &foreign, "once").await.status, 404);
    assert_eq!(answer(&one, &run, "00000000", "once").await.status, 404);
    assert_eq!(answer(&one, &run, "not an id", "once").await.status, 404);
    for body in
        [json!({"choice": "once"}), json!({"id": question}), json!({"id": question, "choice": "yes"}), Value::Null]
    {
        assert_eq!(one.post(&format!("/v1/runs/{run}/approval"), body.clone()).await.status, 400, "{body}");
    }
    assert_eq!(read(&one, &run).await["status"], "waiting_for_approval");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_has_consented_to_nothing() {
    let ground = asking().serving_api("");
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let (run, question) = waiting(&caller).await;
    let mut events = watch(&caller, &run).await;
    caller.post(&format!("/v1/runs/{run}/stop"), json!({})).await.expect(200);
    assert_eq!(events.until("approval.closed").await.data["outcome"], "cancelled");
    assert_eq!(events.rest().await.pop().unwrap().name, "run.cancelled");
    assert_eq!(answer(&caller, &run, &question, "always").await.status, 409);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_chat_cannot_be_asked() {
    let ground = asking().serving_api("");
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let session = caller.post("/api/sessions", json!({})).await.expect(201)["id"].as_str().unwrap().to_owned();
    let answer =
        caller.post(&format!("/api/sessions/{session}/chat"), json!({"message": "call asks"})).await.expect(200);
    assert!(answer["output"].as_str().unwrap().contains("Undeliverable"), "{answer}");
    served.running.stop().await;
}
