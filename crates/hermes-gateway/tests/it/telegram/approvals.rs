//! Buttons: only the right people's presses count.

use hermes_testkit::bot_api::{BotCall, Shown};

use super::{ANN, BEN, BOSS, EVE, GROUP, Place, soon};
use crate::approvals::asking;

impl Place {
    async fn question(&self, chat: i64) -> Shown {
        self.hears(chat, |shown| !shown.buttons.is_empty()).await
    }

    /// Presses a button; what the presser is told.
    async fn presses(&self, person: i64, chat: i64, question: &Shown, answer: &str) -> BotCall {
        let before = self.api.calls("answerCallbackQuery").len();
        let data = question.buttons.iter().find(|data| data.ends_with(answer)).cloned();
        let id = question.buttons[0].split(':').next().unwrap();
        let data = data.unwrap_or_else(|| format!("{id}:{answer}"));
        self.api.presses(person, chat, question.message, &data);
        let told = async {
            loop {
                let calls = self.api.calls("answerCallbackQuery");
                if let Some(call) = calls.get(before) {
                    return call.clone();
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(soon(), told).await.expect("the press was not answered")
    }
}

fn is_refused(call: &BotCall) -> bool {
    call.parameters["show_alert"] == true
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_right_person_can_press_and_a_plain_yes_is_conversation() {
    let place = Place::on(asking(), "");
    let serving = place.start();
    place.api.says_in(GROUP, ANN, "@hermes_test_bot call asks");
    let question = place.question(GROUP).await;
    assert!(question.text.contains("rm -rf build"), "{question:?}");
    for person in [BEN, EVE] {
        assert!(is_refused(&place.presses(person, GROUP, &question, "once").await));
    }
    // From another chat it is not the same button.
    assert!(is_refused(&place.presses(ANN, ANN, &question, "once").await));
    place.api.says_in(GROUP, ANN, "@hermes_test_bot yes");
    assert!(is_refused(&place.presses(ANN, GROUP, &question, "always").await), "only administrators");
    assert!(place.api.shown(GROUP).iter().all(|shown| !shown.text.contains("Approved")));
    let told = place.presses(ANN, GROUP, &question, "once").await;
    assert_eq!(told.parameters["text"], "approved (once)");
    let closed = place.hears(GROUP, |shown| shown.message == question.message && shown.buttons.is_empty()).await;
    assert!(closed.text.ends_with("→ approved (once) by Person 11 (11)"), "{closed:?}");
    place.hears(GROUP, |shown| shown.text.contains("Approved(Once)")).await;
    // Old buttons do nothing.
    assert!(is_refused(&place.presses(ANN, GROUP, &question, "always").await));
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_can_decide_in_a_group_also_for_good() {
    let place = Place::on(asking(), "");
    let serving = place.start();
    place.api.says_in(GROUP, ANN, "@hermes_test_bot call asks");
    let question = place.question(GROUP).await;
    assert_eq!(question.buttons.len(), 4);
    place.presses(BOSS, GROUP, &question, "always").await;
    place.hears(GROUP, |shown| shown.text.contains("Approved(Always)")).await;
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_answered_by_typing_loses_its_buttons() {
    let place = Place::on(asking(), "");
    let serving = place.start();
    place.api.says(ANN, "call asks");
    let question = place.question(ANN).await;
    assert_eq!(question.buttons.len(), 3, "nobody here can allow something for good: {question:?}");
    place.api.says(ANN, "/deny");
    let closed = place.hears(ANN, |shown| shown.message == question.message && shown.buttons.is_empty()).await;
    assert!(closed.text.ends_with("→ denied"), "{closed:?}");
    place.hears(ANN, |shown| shown.text.contains("Denied")).await;
    serving.stop().await;
}
