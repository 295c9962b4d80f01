//! Each limit, by a client that passes it, and the others that it must not touch.

use std::time::Duration;

use hermes_listener::{Connection, Limits};
use tokio::time::timeout;

use super::client::{PATIENCE, Served, limits};

const SHORT: Duration = Duration::from_millis(200);

#[tokio::test]
async fn one_more_than_there_is_room_for_waits_until_one_goes() {
    let served = Served::with(Limits { connections: 1, ..limits() }).await;
    let mut first = served.connect().await;
    first.get("/").await;
    assert!(first.read_to("hello").await.ends_with("hello"));
    let mut second = served.connect().await;
    second.get("/").await;
    assert!(timeout(SHORT, second.read_to("hello")).await.is_err(), "it was accepted beside the first");
    drop(first);
    assert!(second.read_to("hello").await.ends_with("hello"));
}

#[tokio::test]
async fn a_head_that_does_not_come_to_its_end_costs_its_client_the_connection() {
    let served = Served::with(Limits { head: SHORT, ..limits() }).await;
    let mut slow = served.connect().await;
    slow.send("GET / HTTP/1.1\r\nHost:").await.unwrap();
    assert!(!slow.read_to_end().await.contains("hello"));
    let mut silent = served.connect().await;
    assert_eq!(silent.read_to_end().await, "");
    // One that has been answered has no more time for its next.
    let mut idle = served.connect().await;
    idle.get("/").await;
    assert!(idle.read_to_end().await.ends_with("hello"));
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let served = Served::with(limits()).await;
    let mut client = served.connect().await;
    let head = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "x".repeat(64 * 1024));
    // It may be refused before all of it was sent.
    let _ = client.send(&head).await;
    let answer = client.read_to_end().await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    let mut other = served.connect().await;
    other.get("/").await;
    assert!(other.read_to("hello").await.ends_with("hello"));
}

#[tokio::test]
async fn whoever_does_not_take_what_is_written_is_let_go() {
    let served = Served::with(Limits { stuck: SHORT, ..limits() }).await;
    let mut client = served.connect().await;
    client.get("/endless").await;
    timeout(PATIENCE, served.dropped.notified()).await.expect("the answer is kept for nobody");
}

#[tokio::test]
async fn a_connection_for_one_request_is_over_after_it_and_after_its_time() {
    let served = Served::with(Limits { connection: Connection::Single(SHORT), ..limits() }).await;
    let mut slow = served.connect().await;
    slow.send("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf").await.unwrap();
    assert_eq!(slow.read_to_end().await, "");
    let served = Served::with(Limits { connection: Connection::Single(PATIENCE), ..limits() }).await;
    let mut client = served.connect().await;
    client.get("/").await;
    assert!(client.read_to_end().await.ends_with("hello"), "the server closes");
}
