//! Messages in, answers out.

use hermes_gateway::Role;
use serde_json::json;

use super::{ANN, BEN, BOSS, EVE, Place};

#[tokio::test(flavor = "multi_thread")]
async fn everybody_who_is_listed_is_answered_in_their_own_chat() {
    let place = Place::new("");
    let serving = place.start();
    let ann = place.api.says(ANN, "say hello Ann");
    let ben = place.api.says(BEN, "say hello Ben");
    assert_eq!(place.hears_text(ANN, "hello Ann").await.reply_to, Some(ann));
    assert_eq!(place.hears_text(BEN, "hello Ben").await.reply_to, Some(ben));
    place.api.says(ANN, "heard");
    place.hears_text(ANN, "say hello Ann|heard").await;
    serving.stop().await;
    assert_eq!(place.api.unacknowledged(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn markdown_is_shown_and_what_telegram_cannot_read_is_sent_as_it_is() {
    let place = Place::new("");
    let serving = place.start();
    place.api.says(ANN, "say **bold** and `a < b`");
    place.hears_text(ANN, "<b>bold</b> and <code>a &lt; b</code>").await;
    place.api.fail(
        "sendMessage",
        [hermes_testkit::bot_api::Failure::Refused(400, "Bad Request: can't parse entities: odd".to_owned())],
    );
    place.api.says(ANN, "say **odd** <x>");
    place.hears_text(ANN, "**odd** <x>").await;
    let plain = place.api.call(|call| call.was_done && call.parameters["text"] == "**odd** <x>").await;
    assert_eq!(plain.parameters.get("parse_mode"), None);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_comes_in_order_and_whole() {
    let place = Place::new("");
    let serving = place.start();
    let lines: Vec<_> = (0..900).map(|line| format!("line-{line:04}")).collect();
    let message = place.api.says(ANN, &format!("say ```\n{}\n```", lines.join("\n")));
    place.hears(ANN, |shown| shown.text.contains("line-0899")).await;
    let shown = place.api.shown(ANN);
    assert!(shown.len() > 1);
    let all: String = shown.iter().map(|shown| shown.text.as_str()).collect();
    let found: Vec<_> = all.match_indices("line-").map(|(at, _)| &all[at..at + 9]).collect();
    assert_eq!(found, lines);
    assert!(shown.iter().all(|shown| shown.text.starts_with("<pre><code>") && shown.text.ends_with("</code></pre>")));
    let replies: Vec<_> = shown.iter().map(|shown| shown.reply_to).collect();
    assert_eq!((replies[0], &replies[1..]), (Some(message), &vec![None; shown.len() - 1][..]));
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_get_nothing_but_one_code_in_private() {
    let place = Place::new("");
    let serving = place.start();
    for text in ["say secret", "/status", "say it again"] {
        place.api.says(EVE, text);
    }
    let code = place.hears(EVE, |shown| shown.text.contains("pairing code")).await;
    place.settled().await;
    assert_eq!(place.texts(EVE), std::slice::from_ref(&code.text));
    assert_eq!(place.ground.server.requests().len(), 1, "only the message that is waited for reached the model");
    // What the operator lets in is in at once.
    let code =
        code.text.split_whitespace().find(|word| word.len() == 8 && word.chars().all(|c| !c.is_lowercase())).unwrap();
    place.ground.pairing().approve(&"telegram".parse().unwrap(), code, std::time::SystemTime::now()).unwrap();
    place.api.says(EVE, "say welcome");
    place.hears_text(EVE, "welcome").await;
    place.ground.pairing().revoke(&"telegram".parse().unwrap(), &EVE.to_string()).unwrap();
    place.api.says(EVE, "say gone");
    place.settled().await;
    assert!(!place.texts(EVE).contains(&"gone".to_owned()));
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_get_nothing_at_all_where_that_is_wanted() {
    let place = Place::new("unauthorized_dm_behavior: ignore");
    let serving = place.start();
    place.api.says(EVE, "say secret");
    place.settled().await;
    assert!(place.texts(EVE).is_empty());
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_administrators_have_their_commands() {
    let place = Place::new("");
    let serving = place.start();
    place.api.says(ANN, "/yolo on");
    place.hears(ANN, |shown| shown.text.contains("administrators")).await;
    place.api.says(BOSS, "/yolo on");
    place.hears(BOSS, |shown| shown.text.contains("without asking")).await;
    let menu = place.api.calls("setMyCommands")[0].parameters["commands"].clone();
    let names: Vec<_> = menu.as_array().unwrap().iter().map(|row| row["command"].as_str().unwrap()).collect();
    assert!(names.contains(&"stop") && !names.contains(&"yolo"), "{names:?}");
    assert!(Role::User < Role::Admin);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_channels_and_edits_are_not_listened_to() {
    let place = Place::new("");
    let serving = place.start();
    let private = json!({"id": ANN, "type": "private"});
    place.api.message(ANN, &private, &json!({"text": "say bot", "from": {"id": ANN, "is_bot": true}}));
    place.api.message(ANN, &private, &json!({"text": "say channel", "sender_chat": {"id": -5, "type": "channel"}}));
    place.api.message(ANN, &json!({"id": -5, "type": "channel"}), &json!({"text": "say post"}));
    place
        .api
        .update(json!({"edited_message": {"message_id": 7, "chat": private, "from": {"id": ANN}, "text": "say edit"}}));
    place.settled().await;
    assert_eq!(place.ground.server.requests().len(), 1);
    let asked = &place.api.calls("getUpdates")[0].parameters["allowed_updates"];
    assert_eq!(*asked, json!(["message", "callback_query"]));
    serving.stop().await;
}
