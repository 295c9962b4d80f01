//! The end: nobody new, those under way have a moment.

use std::time::Duration;

use hermes_listener::Limits;

use super::client::{Served, limits};

#[tokio::test]
async fn one_under_way_is_answered_and_one_that_idles_is_not_waited_for() {
    let served = Served::with(limits()).await;
    let mut idle = served.connect().await;
    idle.get("/").await;
    idle.read_to("hello").await;
    let mut busy = served.connect().await;
    busy.get("/slow").await;
    served.asked.notified().await;
    served.shutdown.cancel();
    assert_eq!(idle.read_to_end().await, "");
    served.go.notify_one();
    assert!(busy.read_to_end().await.ends_with("slow"));
    served.ended().await;
}

#[tokio::test]
async fn one_that_does_not_end_is_dropped_after_the_last_call() {
    let served = Served::with(Limits { last_call: Duration::from_millis(200), ..limits() }).await;
    let mut busy = served.connect().await;
    busy.get("/slow").await;
    served.asked.notified().await;
    served.shutdown.cancel();
    served.ended().await;
    assert_eq!(busy.read_to_end().await, "", "it was closed, not forgotten");
}
