//! Questions reach the chat of their turn, and only its people can answer.

use std::time::Duration;

use hermes_agent::ToolReply;
use hermes_approval::{Answer, AnswerError};
use hermes_gateway::{Incoming, Role};
use hermes_proto::consent::{ActionKind, Consent, ConsentRequest, Offer, Scope};
use hermes_proto::turn::Surface;
use serde_json::json;

use crate::ground::{Ground, PATIENCE, direct, id};

pub(crate) fn asking() -> Ground {
    Ground::new().with("display: {busy_input_mode: queue}").tool("asks", |context| async move {
        let offer = |scope: Scope| Offer { scope, allows: "this".to_owned() };
        let request = ConsentRequest {
            request: format!("r-{:?}", context.turn.id()),
            kind: ActionKind::Command,
            action: "rm -rf build".to_owned(),
            place: "here".to_owned(),
            findings: Vec::new(),
            offers: vec![offer(Scope::Once), offer(Scope::Session), offer(Scope::Always)],
            patience: PATIENCE,
        };
        let consent = context.turn.approver().ask(&request).await;
        ToolReply::done(json!(format!("{consent:?}")), "asked")
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_from_its_chat_and_a_plain_yes_does_not() {
    let ground = asking();
    let running = ground.start();
    running.says("a", "1", "call asks").await;
    let question = running.adapter.question().await;
    assert_eq!((question.to.chat.as_str(), question.people.as_slice()), ("a", &[id("user-a")][..]));
    assert!(question.text.contains("rm -rf build") && question.text.contains("/approve"), "{}", question.text);
    // Another conversation has nothing to answer, also with the right number.
    running.says("b", "1", &format!("/approve {}", question.id)).await;
    let heard = running.hears("b").await;
    assert!(!heard.contains("approved"), "{heard}");
    let plain = ["yes", "ok", "approve", "y", "approve all", "1", "👍"];
    for (number, text) in plain.into_iter().enumerate() {
        running.says("a", &format!("plain{number}"), text).await;
    }
    for (number, text) in ["/approve please", "/app", "/approved"].into_iter().enumerate() {
        running.says("a", &format!("wrong{number}"), text).await;
        let heard = running.hears("a").await;
        assert!(["nothing was", "no command"].iter().any(|no| heard.contains(no)), "{text}: {heard}");
    }
    let refused = running.inbox.answer(question.session.clone(), &id("stranger"), question.id.clone(), approve()).await;
    assert_eq!(refused, Err(AnswerError::NotAuthorised));
    running.says("a", "4", "/approve").await;
    assert!(running.hears_any().await.contains("approved (once)"));
    assert!(running.hears_any().await.contains("Approved(Once)"));
    // What was said meanwhile comes next, as conversation.
    for text in plain {
        assert_eq!(running.hears("a").await, format!("you said {text:?}"));
    }
    running.stop().await;
}

fn approve() -> Answer {
    Answer::Approve(Scope::Once)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_counts_for_those_who_were_named() {
    let ground = asking();
    let running = ground.start();
    running.accepts(Incoming { approvers: vec![id("boss")], ..direct("a", "1", "call asks") }).await;
    let question = running.adapter.question().await;
    let deny = Answer::Deny { reason: None };
    let answered = running.inbox.answer(question.session, &id("boss"), question.id, deny).await.unwrap();
    assert_eq!(answered.settled[0].1, Consent::Denied { reason: None });
    assert!(running.hears("a").await.contains("Denied"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_administrators_allow_something_for_good() {
    let ground = asking();
    let running = ground.start();
    let mut incoming = direct("a", "1", "call asks");
    incoming.person.role = Role::User;
    running.accepts(incoming.clone()).await;
    running.adapter.question().await;
    let answer = Incoming { message: id("2"), text: "/approve always".to_owned(), ..incoming };
    running.accepts(answer).await;
    let heard = [running.hears("a").await, running.hears("a").await];
    assert!(heard.iter().any(|text| text.contains("only administrators")), "{heard:?}");
    assert!(heard.iter().any(|text| text.contains("Approved(Session)")), "{heard:?}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_has_nobody_to_ask_and_a_stopped_turn_is_not_consent() {
    let ground = asking();
    let running = ground.start();
    running.accepts(Incoming { surface: Surface::Unattended, ..direct("a", "1", "call asks") }).await;
    assert!(running.hears("a").await.contains("Undeliverable"));
    running.says("b", "1", "call asks").await;
    running.adapter.question().await;
    running.says("b", "2", "/stop").await;
    let heard = [running.hears("b").await, running.hears("b").await];
    assert!(
        heard.iter().any(|text| text == "stopping") && !heard.iter().any(|text| text.contains("Approved")),
        "{heard:?}"
    );
    assert!(Duration::from_secs(1) < PATIENCE);
    running.stop().await;
}
