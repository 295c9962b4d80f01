//! What somebody else's caller, or somebody without the key, can reach: nothing.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::approvals::{answer, waiting};
use super::caller::Caller;
use super::runs::{begin, read, watch};
use super::served::{Served, ground};
use crate::approvals::asking;
use crate::ground::{KEY, PATIENCE};

#[tokio::test(flavor = "multi_thread")]
async fn another_keys_run_is_not_there_in_any_way() {
    let ground = asking().serving_api("");
    let served = Served::on(&ground).await;
    let owner = served.scoped("alice");
    let (run, question) = waiting(&owner).await;
    for stranger in [served.scoped("bob"), served.caller(), served.scoped("alice2"), served.scoped("ALICE")] {
        assert_eq!(stranger.get(&format!("/v1/runs/{run}")).await.refused(404), "not_found");
        assert_eq!(stranger.get(&format!("/v1/runs/{run}/events")).await.status, 404);
        assert_eq!(stranger.post(&format!("/v1/runs/{run}/stop"), json!({})).await.status, 404);
        assert_eq!(stranger.post(&format!("/v1/runs/{run}/steer"), json!({"text": "x"})).await.status, 404);
        assert_eq!(answer(&stranger, &run, &question, "always").await.status, 404);
    }
    // A foreign run and one that never was are told apart by nothing.
    let missing = served.scoped("bob").get("/v1/runs/run_00000000000000000000000000000000").await;
    assert_eq!(missing.text, served.scoped("bob").get(&format!("/v1/runs/{run}")).await.text);
    assert_eq!(read(&owner, &run).await["status"], "waiting_for_approval");
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_key_every_address_answers_the_same() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let run = begin(&served.caller(), "say x").await;
    let known = [format!("/v1/runs/{run}"), format!("/v1/runs/{run}/events")];
    let others = ["/v1/runs/none", "/metrics", "/health/detailed", "/openapi.json", "/api/sessions", "/nothing"];
    let nobody = Caller::of(served.address);
    let wrong = nobody.with("Authorization", &format!("Bearer {KEY}x"));
    for path in known.iter().map(String::as_str).chain(others) {
        for caller in [&nobody, &wrong] {
            let answer = caller.get(path).await;
            assert_eq!(
                (answer.refused(401).as_str(), answer.header("www-authenticate")),
                ("invalid_api_key", Some("Bearer")),
                "{path}"
            );
        }
    }
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_chats_cannot_be_taken() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let thief = served.scoped("agent:main:test:dm:a");
    assert_eq!(thief.post("/v1/runs", json!({"input": "heard"})).await.status, 400);
    assert_eq!(thief.get("/api/sessions").await.status, 400);
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_body_is_refused_before_it_is_read() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let mut stream = tokio::net::TcpStream::connect(served.address).await.unwrap();
    let head = format!(
        "POST /v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\nContent-Length: 10000000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let flood = async {
        let piece = vec![b' '; 64 * 1024];
        while stream.write_all(&piece).await.is_ok() {}
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
    };
    tokio::time::timeout(PATIENCE, flood).await.expect("it is read for ever");
    // A long text of a size that is allowed is refused as a message, and the next caller is served.
    let long = served.caller().post("/v1/runs", json!({"input": "x".repeat(300 * 1024)})).await;
    assert_eq!(long.refused(413), "request_too_large");
    begin(&served.caller(), "say x").await;
    served.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_of_one_run_are_bounded_and_those_who_leave_make_room() {
    let ground = ground();
    let served = Served::on(&ground).await;
    let caller = served.caller();
    let run = begin(&caller, "never").await;
    let path = format!("/v1/runs/{run}/events");
    let mut readers = Vec::new();
    for _ in 0..16 {
        readers.push(watch(&caller, &run).await);
    }
    assert_eq!(caller.get(&path).await.status, 429);
    readers.clear();
    // When the server notices that somebody has left is the kernel's affair.
    let room = async {
        loop {
            let stream = caller.open("GET", &path, None).await;
            if stream.head.status == 200 {
                return;
            }
            caller.post(&format!("/v1/runs/{run}/stop"), json!({})).await;
        }
    };
    tokio::time::timeout(PATIENCE, room).await.expect("nobody can read it any more");
    served.running.stop().await;
}
