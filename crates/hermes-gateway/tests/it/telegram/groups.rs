//! Groups, topics, and who is meant.

use serde_json::json;

use super::{ANN, BEN, EVE, GROUP, Place};

#[tokio::test(flavor = "multi_thread")]
async fn in_groups_the_bot_answers_when_it_is_meant() {
    let place = Place::new("");
    let serving = place.start();
    place.api.says_in(GROUP, ANN, "say not for you");
    place.api.says_in(GROUP, ANN, "/status@another_bot");
    place.api.says_in(GROUP, EVE, "@hermes_test_bot say a stranger");
    let meant = place.api.says_in(GROUP, ANN, "@hermes_test_bot say for me");
    assert_eq!(place.hears_text(GROUP, "for me").await.reply_to, Some(meant));
    place.api.says_in(GROUP, ANN, "/status@hermes_test_bot");
    place.hears(GROUP, |shown| shown.text.contains("agent:main:telegram:group:-1001:11")).await;
    let chat = json!({"id": GROUP, "type": "supergroup"});
    let answered = json!({"message_id": 1, "chat": chat, "from": {"id": 4_242, "is_bot": true}});
    place.api.message(ANN, &chat, &json!({"text": "say an answer", "reply_to_message": answered}));
    place.hears_text(GROUP, "an answer").await;
    assert_eq!(place.texts(GROUP).len(), 3);
    assert!(place.texts(EVE).is_empty());
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_of_a_group_have_conversations_of_their_own_and_topics_share_one() {
    let place = Place::new("telegram: {require_mention: false, ignored_threads: [99], group_allowed_chats: \"-1001\"}");
    let serving = place.start();
    place.api.says_in(GROUP, ANN, "say one");
    place.hears_text(GROUP, "one").await;
    place.api.says_in(GROUP, BEN, "heard");
    place.hears_text(GROUP, "heard").await;
    place.api.says_in_topic(GROUP, 7, ANN, "say two");
    assert_eq!(place.hears_text(GROUP, "two").await.thread, Some(7));
    place.api.says_in_topic(GROUP, 7, EVE, "heard");
    assert_eq!(place.hears_text(GROUP, "say two|heard").await.thread, Some(7));
    place.api.says_in_topic(GROUP, 99, ANN, "say ignored");
    place.settled().await;
    assert!(!place.texts(GROUP).contains(&"ignored".to_owned()));
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_chats_that_are_named_are_served() {
    let place = Place::new("telegram: {allowed_chats: [-1002], free_response_chats: [\"-1002\"]}");
    let serving = place.start();
    place.api.says_in(GROUP, ANN, "@hermes_test_bot say here");
    place.api.says_in(-1_002, ANN, "say there");
    place.hears_text(-1_002, "there").await;
    place.settled().await;
    assert!(place.texts(GROUP).is_empty());
    serving.stop().await;
}
