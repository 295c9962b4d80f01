//! What Telegram and the network do to a bot.

use hermes_gateway::AdapterState;
use hermes_testkit::bot_api::Failure;
use serde_json::json;

use super::{ANN, BEN, Place, VARIABLES, soon};
use crate::ground::{Ground, Serving};

async fn becomes(serving: &Serving, what: impl Fn(&AdapterState) -> bool) -> AdapterState {
    let mut view = serving.view.clone();
    let waiting = async {
        loop {
            let state = view.health().get(&"telegram".parse().unwrap()).cloned();
            if let Some(state) = state.filter(|state| what(state)) {
                return state;
            }
            view.changed().await;
        }
    };
    tokio::time::timeout(soon(), waiting).await.expect("it never became so")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_for_a_moment_arrives_once() {
    for failure in [Failure::TooMany(1), Failure::Page(502), Failure::HangUp, Failure::Refused(500, "oops".to_owned())]
    {
        let place = Place::new("");
        let serving = place.start();
        place.api.fail("sendMessage", [failure.clone()]);
        place.api.says(ANN, "say hello");
        place.hears(ANN, |shown| shown.text.ends_with("hello")).await;
        place.settled().await;
        assert_eq!(place.texts(ANN).len(), 1, "{failure:?}");
        serving.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_arrived_comes_again_with_a_mark() {
    for failure in [Failure::HangUpAfterwards, Failure::Malformed] {
        let place = Place::new("");
        let serving = place.start();
        place.api.fail("sendMessage", [failure.clone()]);
        place.api.says(ANN, "say hello");
        let again = place.hears(ANN, |shown| shown.text.contains("sent again")).await;
        assert!(again.text.ends_with("hello"), "{again:?}");
        assert_eq!(place.texts(ANN), ["hello".to_owned(), again.text], "{failure:?}");
        serving.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_never_arrive_is_given_up_and_others_go_on() {
    let place = Place::new("");
    let serving = place.start();
    place.api.fail("sendMessage", [Failure::Refused(403, "Forbidden: bot was blocked by the user".to_owned())]);
    place.api.says(ANN, "say hello");
    place.api.call(|call| call.method == "sendMessage" && !call.was_done).await;
    place.api.says(ANN, "say back again");
    place.hears_text(ANN, "back again").await;
    assert_eq!(place.texts(ANN), ["back again"]);
    place.api.fail("sendMessage", [Failure::Refused(400, "Bad Request: chat not found".to_owned())]);
    place.api.says(BEN, "say nobody");
    place.api.call(|call| !call.was_done && call.parameters["chat_id"] == BEN).await;
    place.api.says(ANN, "say still here");
    place.hears_text(ANN, "still here").await;
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn polling_goes_on_after_every_failure() {
    let place = Place::new("");
    let failures = [Failure::Page(502), Failure::Malformed, Failure::HangUp, Failure::TooMany(1)];
    place.api.fail("getUpdates", failures.clone());
    place.api.fail("getMe", [Failure::HangUp, Failure::Page(500)]);
    let serving = place.start();
    place.api.says(ANN, "say hello");
    place.hears_text(ANN, "hello").await;
    assert_eq!(place.texts(ANN).len(), 1);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_needs_attention_and_a_second_poller_is_named() {
    let place = Place::new("");
    place.api.fail("getMe", [Failure::Refused(401, "Unauthorized".to_owned())]);
    let serving = place.start();
    let state = becomes(&serving, |state| matches!(state, AdapterState::NeedsAttention { .. })).await;
    assert!(
        format!("{state:?}").contains("TELEGRAM_BOT_TOKEN") && !format!("{state:?}").contains("test-token"),
        "{state:?}"
    );
    serving.stop().await;

    let place = Place::new("");
    let conflict = "Conflict: terminated by other getUpdates request";
    place.api.fail("getUpdates", [Failure::Refused(409, conflict.to_owned())]);
    let serving = place.start();
    let state = becomes(&serving, |state| matches!(state, AdapterState::Retrying { .. })).await;
    assert!(format!("{state:?}").contains("another program receives"), "{state:?}");
    place.api.says(ANN, "say hello");
    place.hears_text(ANN, "hello").await;
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_told_holds_the_token() {
    let ground = Ground::new().with("platforms: {telegram: {base_url: \"http://127.0.0.1:1\"}}");
    let serving = ground.start_platforms(VARIABLES);
    let state = becomes(&serving, |state| matches!(state, AdapterState::Retrying { .. })).await;
    assert!(!format!("{state:?}").contains("4242"), "{state:?}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_got_another_id_is_followed() {
    let place = Place::new("telegram: {require_mention: false}");
    let serving = place.start();
    // The answer names the new id.
    place.api.fail("sendMessage", [Failure::Moved(-1_009)]);
    place.api.message(ANN, &json!({"id": -9, "type": "group"}), &json!({"text": "say hello"}));
    place.hears_text(-1_009, "hello").await;
    serving.stop().await;
}
