//! Sessions: a caller's own, and nobody else's.

use serde_json::{Value, json};

use super::caller::Caller;
use super::served::{Served, ground};
use crate::ground::direct;

async fn create(caller: &Caller, title: &str) -> String {
    caller.post("/api/sessions", json!({"title": title})).await.expect(201)["id"].as_str().unwrap().to_owned()
}

async fn say(caller: &Caller, session: &str, text: &str) -> Value {
    caller.post(&format!("/api/sessions/{session}/chat"), json!({"message": text})).await.expect(200)
}

async fn listed(caller: &Caller, query: &str) -> Vec<String> {
    let page = caller.get(&format!("/api/sessions{query}")).await.expect(200);
    page["data"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap_or("-").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_made_named_talked_to_forked_and_removed() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let id = create(&caller, "first").await;
    assert_eq!(say(&caller, &id, "say one").await["output"], "one");
    assert_eq!(say(&caller, &id, "heard").await["output"], "say one|heard");
    let path = format!("/api/sessions/{id}");
    let renamed = caller.call("PATCH", &path, Some(json!({"title": "better"}))).await.expect(200);
    assert_eq!((&renamed["title"], &renamed["source"]), (&json!("better"), &json!("api_server")));
    let messages = caller.get(&format!("{path}/messages?limit=3")).await.expect(200);
    let roles: Vec<_> = messages["data"].as_array().unwrap().iter().map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!((roles, &messages["has_more"]), (vec!["user", "assistant", "user"], &json!(true)));

    let fork = caller.post(&format!("{path}/fork"), json!({"title": "aside"})).await.expect(201);
    let fork_id = fork["id"].as_str().unwrap();
    assert_eq!(fork["parent_id"], json!(id));
    assert_eq!(say(&caller, fork_id, "heard").await["output"], "say one|heard|heard");
    assert_eq!(say(&caller, &id, "heard").await["output"], "say one|heard|heard");

    assert_eq!(listed(&caller, "").await, ["better", "aside"]);
    assert_eq!(listed(&caller, "?limit=1&offset=1").await, ["aside"]);
    assert_eq!(listed(&caller, "?ended=true").await, Vec::<String>::new());
    caller.call("DELETE", &path, None).await.expect(200);
    assert_eq!(caller.get(&path).await.status, 404);
    assert_eq!(listed(&caller, "").await, ["aside"]);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_of_a_session_is_streamed_and_ends_with_its_caller() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let id = create(&caller, "streamed").await;
    let path = format!("/api/sessions/{id}/chat/stream");
    let mut stream = caller.open("POST", &path, Some(json!({"message": "say hello"}))).await;
    assert_eq!(stream.until("message.delta").await.data["delta"], "hello");
    assert_eq!(stream.rest().await.pop().unwrap().name, "run.completed");
    let mut stream = caller.open("POST", &path, Some(json!({"message": "never"}))).await;
    stream.until("run.started").await;
    drop(stream);
    // The turn that nobody waits for any more has ended, or this would wait behind it for ever.
    assert_eq!(say(&caller, &id, "say again").await["output"], "again");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_other_keys_and_of_chats_are_not_there() {
    let ground = ground();
    let served = Served::on(&ground).await;
    served.running.accepts(direct("a", "1", "say secret")).await;
    served.running.hears("a").await;
    let chat = {
        let sessions = hermes_store::sessions::Sessions::open(&ground.store());
        sessions.latest_of("test").unwrap().unwrap().id.to_string()
    };
    let (alice, bob, none) = (served.scoped("alice"), served.scoped("bob"), served.caller());
    let own = create(&alice, "hers").await;
    let open = create(&none, "nobody's").await;
    for (stranger, id) in [(&bob, &own), (&none, &own), (&alice, &open), (&none, &chat), (&alice, &chat)] {
        let path = format!("/api/sessions/{id}");
        assert_eq!(stranger.get(&path).await.refused(404), "not_found");
        assert_eq!(stranger.get(&format!("{path}/messages")).await.status, 404);
        assert_eq!(stranger.call("PATCH", &path, Some(json!({"title": "x"}))).await.status, 404);
        assert_eq!(stranger.call("DELETE", &path, None).await.status, 404);
        assert_eq!(stranger.post(&format!("{path}/fork"), json!({})).await.status, 404);
        assert_eq!(stranger.post(&format!("{path}/chat"), json!({"message": "heard"})).await.status, 404);
        assert_eq!(stranger.post(&format!("{path}/chat/stream"), json!({"message": "heard"})).await.status, 404);
        assert_eq!(stranger.post("/v1/runs", json!({"input": "heard", "session_id": id})).await.status, 404);
    }
    assert_eq!((listed(&alice, "").await, listed(&bob, "").await), (vec!["hers".to_owned()], Vec::new()));
    assert_eq!(listed(&none, "").await, ["nobody's"]);
    // A title is not found out about by its holder's id, and a part of an id is no id.
    let taken = bob.post("/api/sessions", json!({"title": "hers"})).await;
    assert_eq!(taken.refused(409), "title_taken");
    assert!(!taken.text.contains(&own), "{taken:?}");
    assert_eq!(alice.get(&format!("/api/sessions/{}", &own[..10])).await.status, 404);
    assert_eq!(alice.get("/api/sessions/hers").await.status, 404);
    assert_eq!(alice.get("/api/sessions/latest").await.status, 404);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_worked_on_is_not_removed() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let id = create(&caller, "busy").await;
    let run = caller.post("/v1/runs", json!({"input": "never", "session_id": id})).await.expect(202);
    super::runs::watch(&caller, run["id"].as_str().unwrap()).await.until("run.started").await;
    assert_eq!(caller.call("DELETE", &format!("/api/sessions/{id}"), None).await.refused(409), "conflict");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_refused_and_says_what_about() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    for query in ["?limit=0", "?limit=201", "?limit=x", "?offset=-1", "?offset=1000001", "?ended=perhaps"] {
        assert_eq!(caller.get(&format!("/api/sessions{query}")).await.status, 400, "{query}");
    }
    for title in ["", " ", "latest", &"x".repeat(101)] {
        let refused = caller.post("/api/sessions", json!({"title": title})).await.expect(400);
        assert_eq!(refused["error"]["param"], "title", "{title:?}");
    }
    let id = create(&caller, "x").await;
    assert_eq!(caller.post(&format!("/api/sessions/{id}/chat"), json!({"message": " "})).await.status, 400);
    assert_eq!(caller.get("/api/jobs").await.refused(404), "not_found");
    served.running.stop().await;
}
