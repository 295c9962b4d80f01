//! An answer that grows, in one message.

use super::{ANN, Place};

const STREAMING: &str = "streaming: {enabled: true, edit_interval: 0.3}";

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_takes_the_place_of_what_was_shown_before() {
    let place = Place::new(STREAMING);
    let serving = place.start();
    let message = place.api.says(ANN, "grow the **answer**");
    let draft = place.hears(ANN, |shown| !shown.text.is_empty()).await;
    assert_eq!((draft.text.as_str(), draft.reply_to), ("the", Some(message)));
    place.ground.gate.open();
    let answer = place.hears_text(ANN, "the <b>answer</b>").await;
    assert_eq!(answer.message, draft.message);
    place.settled().await;
    assert_eq!(place.api.shown(ANN).len(), 1);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn work_is_shown_as_typing_and_no_draft_is_drawn_unless_wanted() {
    let place = Place::new("");
    let serving = place.start();
    place.api.says(ANN, "wait done");
    let typing = place.api.call(|call| call.method == "sendChatAction" && call.parameters["chat_id"] == ANN);
    let typing = tokio::time::timeout(super::soon(), typing).await.unwrap();
    assert_eq!(typing.parameters["action"], "typing");
    place.ground.gate.open();
    place.hears_text(ANN, "done").await;
    assert!(place.api.calls("editMessageText").is_empty());
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_that_was_deleted_is_no_loss() {
    let place = Place::new(STREAMING);
    let serving = place.start();
    place.api.says(ANN, "grow the answer");
    let draft = place.hears_text(ANN, "the").await;
    place.api.delete(ANN, draft.message);
    place.ground.gate.open();
    place.hears_text(ANN, "the answer").await;
    serving.stop().await;
}
