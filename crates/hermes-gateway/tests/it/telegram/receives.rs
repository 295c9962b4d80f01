//! Updates: once, in order, on disk before Telegram forgets them; files that come with them.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{ANN, BEN, Place};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

fn update(number: i64, message: i64, text: &str) -> Value {
    json!({"update_id": number, "message": {"message_id": message, "chat": {"id": ANN, "type": "private"},
        "from": {"id": ANN, "first_name": "Ann"}, "text": text}})
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_that_come_twice_or_out_of_order_are_worked_on_once_and_in_order() {
    let place = Place::new("");
    let (one, two, three) = (update(51, 1, "say one"), update(52, 2, "say two"), update(53, 3, "heard"));
    place.api.updates_verbatim(vec![two.clone(), one.clone(), two.clone()]);
    place.api.updates_verbatim(vec![json!({"update_id": 9}), json!(17), one.clone()]);
    place.api.updates_verbatim(vec![three, two]);
    let serving = place.start();
    place.hears_text(ANN, "say one|say two|heard").await;
    assert_eq!(place.texts(ANN), ["one", "two", "say one|say two|heard"]);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn telegram_forgets_nothing_that_is_not_on_disk() {
    let place = Place::new("");
    let serving = place.start();
    let first = place.api.update(json!({"message": update(0, 1, "say one")["message"]}));
    place.hears_text(ANN, "one").await;
    let asked: Vec<_> = place.api.calls("getUpdates").iter().map(|call| call.parameters["offset"].as_i64()).collect();
    assert_eq!(asked[0], Some(0));
    let behind = place.api.call(|call| call.method == "getUpdates" && call.parameters["offset"] == first + 1);
    place.api.says(BEN, "say two");
    tokio::time::timeout(super::soon(), behind).await.unwrap();
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_and_its_words_reach_the_model() {
    let place = Place::new("");
    place.api.keep_file("small", b"no picture");
    place.api.keep_file("large", PNG);
    let serving = place.start();
    let photo = json!([{"file_id": "small", "file_size": 10}, {"file_id": "large", "file_size": 600}]);
    place.api.message(
        ANN,
        &json!({"id": ANN, "type": "private"}),
        &json!({"photo": photo, "caption": "say a picture"}),
    );
    place.hears_text(ANN, "a picture").await;
    let body = place.ground.server.requests()[0].body.to_string();
    assert!(body.contains("data:image/png;base64,iVBORw0K"), "{body}");
    let folder = place.ground.home().join("cache/attachments");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_that_were_sent_together_are_one_message() {
    let place = Place::new("");
    place.api.keep_file("p", PNG);
    let picture = |number: i64, fields: Value| {
        let mut update = update(number, number, "");
        let message = update["message"].as_object_mut().unwrap();
        message.remove("text");
        message.extend(json!({"media_group_id": "g", "photo": [{"file_id": "p"}]}).as_object().unwrap().clone());
        message.extend(fields.as_object().unwrap().clone());
        update
    };
    place.api.updates_verbatim(vec![picture(1, json!({})), picture(2, json!({"caption": "say both"}))]);
    let serving = place.start();
    place.hears_text(ANN, "both").await;
    let requests = place.ground.server.requests();
    assert_eq!((requests.len(), requests[0].body.to_string().matches("data:image/png").count()), (1, 2));
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_had_does_not_keep_its_message_away() {
    let place = Place::new("");
    let serving = place.start();
    let chat = json!({"id": ANN, "type": "private"});
    let large = json!({"file_id": "x", "file_size": 900_000_000_u64, "file_name": "film\n.mkv"});
    place.api.message(ANN, &chat, &json!({"document": large, "caption": "heard"}));
    let heard = place.hears(ANN, |shown| shown.text.contains("larger than 20 MB")).await;
    assert!(heard.text.contains("film .mkv"), "{heard:?}");
    place.api.message(ANN, &chat, &json!({"document": {"file_id": "unknown"}, "caption": "say still here"}));
    place.hears(ANN, |shown| shown.text.starts_with("still here")).await;
    serving.stop().await;
}
