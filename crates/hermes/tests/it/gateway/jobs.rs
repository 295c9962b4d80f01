//! A background job that ends after its turn is told to the chat that owns it, and to no other.

use super::process::{Ground, PATIENCE, say};
use hermes_gateway::control::{Answer, Request};

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_job_is_told_to_its_chat() {
    let ground = Ground::new("");
    let gateway = ground.start();
    let (mut client, mut listener) = (gateway.client().await, gateway.listener().await);
    say(&mut client, "other", "1", "say hello").await;
    say(&mut client, "owner", "1", "job echo finished; exit 3").await;
    let mut told = None;
    while told.is_none() {
        let answer = tokio::time::timeout(PATIENCE, listener.next()).await.expect("nobody was told").unwrap();
        let Answer::Delivery { id, chat, content, .. } = answer else { continue };
        listener.send(&Request::Ack { delivery: id }).await.unwrap();
        if content.text().contains("ended with 3") {
            told = Some((chat.to_string(), content.text().to_owned()));
        }
    }
    let (chat, text) = told.unwrap();
    assert_eq!(chat, "owner");
    assert!(text.contains("finished"), "{text}");
    gateway.signal(rustix::process::Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}
