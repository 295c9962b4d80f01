//! Callers who wait for the turn themselves: nothing is delivered, and they can stop it.

use std::sync::Arc;

use hermes_agent::{EndReason, Observer, TurnEvent, Unobserved};
use hermes_gateway::{Continuing, FailureKind, Incoming, TurnFailure};
use hermes_proto::message::Message;
use hermes_proto::turn::{Delivery, Surface};

use crate::ground::{Ground, PATIENCE, direct};

fn call(chat: &str, text: &str) -> Incoming {
    Incoming { surface: Surface::Unattended, delivery: Delivery::Unsupported, ..direct(chat, "m", text) }
}

#[derive(Debug, Default)]
struct Heard(std::sync::Mutex<String>);

impl Observer for Heard {
    fn saw(&self, event: TurnEvent) {
        if let TurnEvent::Text { delta } = event {
            self.0.lock().unwrap().push_str(&delta);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_gets_the_answer_and_its_session_and_nothing_is_delivered() {
    let ground = Ground::new();
    let running = ground.start();
    let heard = Arc::new(Heard::default());
    let attended = running.inbox.attend(call("a", "say one"), heard.clone()).await.unwrap();
    let ended = tokio::time::timeout(PATIENCE, attended.ended).await.unwrap().unwrap();
    assert_eq!(ended.end.unwrap().answer, "one");
    assert_eq!((&*heard.0.lock().unwrap(), ended.model.as_deref()), (&"one".to_owned(), Some("lab/m-1")));
    let session = ended.session.unwrap().to_string();
    // It goes on by its id, from its own conversation only.
    let again = |chat: &str| Incoming { continuing: Continuing::Session(session.clone()), ..call(chat, "heard") };
    let attended = running.inbox.attend(again("a"), Arc::new(Unobserved)).await.unwrap();
    assert_eq!(attended.ended.await.unwrap().end.unwrap().answer, "say one|heard");
    let attended = running.inbox.attend(again("b"), Arc::new(Unobserved)).await.unwrap();
    let Err(TurnFailure::Failed { message, fault }) = attended.ended.await.unwrap().end else { panic!() };
    assert_eq!((message.as_str(), fault), ("this conversation has no such session", FailureKind::Caller));
    let adapter = running.stop().await;
    assert!(adapter.rest().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_brings_its_own_history_and_can_stop_the_turn() {
    let ground = Ground::new();
    let running = ground.start();
    let history = vec![Message::user("earlier"), Message::assistant("answer")];
    let fresh = Incoming { continuing: Continuing::Fresh(history), ..call("a", "heard") };
    let attended = running.inbox.attend(fresh, Arc::new(Unobserved)).await.unwrap();
    assert_eq!(attended.ended.await.unwrap().end.unwrap().answer, "earlier|heard");
    let attended = running.inbox.attend(call("a", "never"), Arc::new(Unobserved)).await.unwrap();
    ground.server.received(2).await;
    attended.cancellation.cancel();
    assert_eq!(attended.ended.await.unwrap().end.unwrap().reason, EndReason::Interrupted);
    running.stop().await;
}
