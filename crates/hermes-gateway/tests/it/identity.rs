//! The seed's window test, end to end: whatever runs at the same time, a turn knows its own message and no other.

use std::collections::BTreeMap;
use std::sync::Arc;

use hermes_agent::ToolReply;
use hermes_gateway::{Address, Chat, ChatKind, Incoming, Person, Role};
use hermes_proto::session::{Binding, SessionVariable};
use hermes_proto::turn::Delivery;
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::ground::{Ground, id};

const SESSIONS: usize = 24;

/// What the tool sees, between two points where all sessions meet.
fn seen(context: &hermes_agent::ToolContext) -> BTreeMap<String, Value> {
    let value = |binding: &Binding| match binding {
        Binding::Unset => json!(null),
        Binding::Cleared => json!(""),
        Binding::Set(text) => json!(text),
    };
    let variables = context.turn.variables().iter();
    variables.map(|(variable, binding)| (variable.name().to_owned(), value(binding))).collect()
}

fn message(number: usize) -> Incoming {
    let chat = Chat {
        address: Address {
            platform: "test".parse().unwrap(),
            chat: id(&format!("CHAT{number}")),
            thread: Some(id(&format!("THREAD{number}"))),
        },
        kind: ChatKind::Thread,
        name: Some(format!("name{number}")),
        parent: None,
        scope: None,
    };
    let person = Person::new(id(&format!("USER{number}")), Role::User);
    Incoming {
        delivery: if number.is_multiple_of(2) { Delivery::Supported } else { Delivery::Unsupported },
        ..Incoming::text(chat, person, id(&format!("MSG{number}")), "call whoami")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_turn_sees_its_own_message_and_no_other_while_all_interleave() {
    let barrier = Arc::new(Barrier::new(SESSIONS));
    let ground = Ground::new().tool("whoami", move |context| {
        let barrier = barrier.clone();
        async move {
            // All are in the middle of their turns at once, and again after they have looked.
            barrier.wait().await;
            let before = seen(&context);
            tokio::task::yield_now().await;
            barrier.wait().await;
            let (after, delivery) = (seen(&context), context.turn.delivery().is_supported());
            ToolReply::done(json!({"before": before, "after": after, "delivery": delivery}), "seen")
        }
    });
    let running = ground.start();
    for number in 0..SESSIONS {
        running.accepts(message(number)).await;
    }
    let mut ids = std::collections::HashSet::new();
    for _ in 0..SESSIONS {
        let outgoing = running.adapter.next().await;
        assert_eq!(outgoing.content.text(), "done", "{outgoing:?}");
        let number = outgoing.to.chat.as_str().strip_prefix("CHAT").unwrap();
        assert_eq!(outgoing.to.thread, Some(id(&format!("THREAD{number}"))));
        assert_eq!(outgoing.reply_to, Some(id(&format!("MSG{number}"))));
        ids.insert(outgoing.to.chat.to_string());
    }
    assert_eq!(ids.len(), SESSIONS);
    // The whole of what each tool saw is in the conversation that the model was sent.
    let mut checked = 0;
    for request in ground.server.requests() {
        let messages = request.body["messages"].as_array().unwrap();
        let Some(result) = messages.iter().find(|message| message["role"] == "tool") else { continue };
        check(result["content"].as_str().unwrap());
        checked += 1;
    }
    assert_eq!(checked, SESSIONS);
    running.stop().await;
}

fn check(text: &str) {
    let told: Value = serde_json::from_str(text).unwrap();
    let number: usize =
        told["before"]["HERMES_SESSION_CHAT_ID"].as_str().unwrap().strip_prefix("CHAT").unwrap().parse().unwrap();
    assert_eq!(told["before"], told["after"]);
    let expected = [
        (SessionVariable::ThreadId, format!("THREAD{number}")),
        (SessionVariable::UserId, format!("USER{number}")),
        (SessionVariable::MessageId, format!("MSG{number}")),
        (SessionVariable::ChatName, format!("name{number}")),
        (SessionVariable::Key, format!("agent:main:test:thread:CHAT{number}:THREAD{number}")),
        (SessionVariable::Platform, "test".to_owned()),
        (SessionVariable::ParentChatId, String::new()),
    ];
    for (variable, value) in expected {
        assert_eq!(told["before"][variable.name()], json!(value), "{variable:?} of {number}");
    }
    assert_eq!(told["before"][SessionVariable::Cron.name()], json!(null));
    assert_eq!(told["delivery"], json!(number.is_multiple_of(2)));
}
