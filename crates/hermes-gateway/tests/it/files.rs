//! Files that answers name, where they cannot be sent. That they are sent is tested with a real place to work in.

use hermes_agent::ToolReply;
use hermes_gateway::{Content, Files, Repeats};
use serde_json::json;

use crate::adapter::TestAdapter;
use crate::ground::Ground;

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_that_takes_no_files_is_told() {
    let ground = Ground::new().tool("works", |_| async { ToolReply::done(json!("worked"), "worked") });
    let running = ground.start_with(TestAdapter::with_files(Repeats::Shown, Files::None));
    running.says("a", "1", "say look\nMEDIA:/tmp/chart.png").await;
    assert_eq!(running.hears("a").await, "look\n\n(the file chart.png was not sent: this chat takes no files)");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_cannot_read_files_sends_none() {
    let ground = Ground::new();
    let running = ground.start();
    running.says("a", "1", "say MEDIA:/etc/hostname").await;
    assert_eq!(running.hears("a").await, "(the file hostname was not sent: files are not read here)");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_cannot_be_reached_is_told_without_what_belongs_to_this_machine() {
    let ground = Ground::new().tool("works", |_| async { ToolReply::done(json!("worked"), "worked") });
    let running = ground.start();
    running.says("a", "1", "say MEDIA:/tmp/x").await;
    let outgoing = running.adapter.next().await;
    assert!(
        matches!(&outgoing.content, Content::Reply { text, .. } if text.contains("cannot be reached")),
        "{outgoing:?}"
    );
    assert!(running.stop().await.rest().await.is_empty());
}
