//! The original's defect (#30882): in a chat, a script's dangerous command ran although nobody had been asked. Here it reaches
//! the people of that chat, and of no other.

use std::sync::Arc;

use hermes_approval::{Answer, Answerer, Authorised, Broker, Notice, Which};
use hermes_proto::consent::{ActionKind, Approver, Scope};
use hermes_proto::session::SessionKey;
use hermes_proto::turn::Surface;
use tokio::sync::mpsc::UnboundedReceiver;

use super::super::ground::{Ground, Made, PATIENCE, turn};
use super::super::people::Chat;
use super::{DANGEROUS, DANGEROUS_SCRIPT, execute, output, put_data, status};

const ONE: &str = "agent:main:telegram:dm:1";
const OTHER: &str = "agent:main:telegram:dm:2";

/// Two chats of one process.
struct Chats {
    ground: Ground,
    broker: Broker,
}

impl Chats {
    fn new() -> Self {
        let ground = Ground::of(Made::with(|config| config.approvals.gateway_timeout = 8));
        Self { broker: Broker::new(ground.journal.clone()), ground }
    }

    fn join(&self, key: &str) -> (Arc<dyn Approver>, UnboundedReceiver<Notice>) {
        let (chat, shown) = Chat::open();
        (self.broker.approver(key.parse().unwrap(), chat, Authorised::Everybody), shown)
    }

    fn answer(&self, notice: &Notice, answer: &Answer) {
        let by = Answerer { session: notice.session.clone(), person: "ann".to_owned() };
        self.broker.answer(&by, &Which::Id(notice.id.clone()), answer).unwrap();
    }

    /// Answers the script with yes and its command with `answer`, or not at all.
    async fn answers(&self, mut shown: UnboundedReceiver<Notice>, key: &str, answer: Option<Answer>) {
        let script = next(&mut shown).await;
        assert_eq!(script.request.kind, ActionKind::Script);
        self.answer(&script, &Answer::Approve(Scope::Once));
        let command = next(&mut shown).await;
        assert_eq!(
            (command.request.action.as_str(), &command.session),
            (DANGEROUS, &key.parse::<SessionKey>().unwrap())
        );
        if let Some(answer) = answer {
            self.answer(&command, &answer);
        }
    }
}

/// The next question that is shown in a chat.
async fn next(shown: &mut UnboundedReceiver<Notice>) -> Notice {
    tokio::time::timeout(PATIENCE, shown.recv()).await.expect("nobody was asked").unwrap()
}

async fn check(answer: Option<Answer>, expected: &str) {
    let chats = Chats::new();
    let data = put_data(&chats.ground);
    let (approver, shown) = chats.join(ONE);
    let turn = turn(Surface::Gateway, approver, ONE);
    let (reply, ()) =
        tokio::join!(execute(&chats.ground, &turn, DANGEROUS_SCRIPT), chats.answers(shown, ONE, answer.clone()));
    assert_eq!(status(&reply), "success", "the script itself was approved: {reply:?}");
    let told: serde_json::Value = serde_json::from_str(output(&reply)).unwrap();
    match answer {
        Some(Answer::Approve(_)) => assert_eq!(told["exit_code"], 0),
        _ => {
            assert_eq!(
                (told["outcome"].as_str(), told["status"].as_str()),
                (Some(expected), Some("blocked")),
                "{told}"
            );
        }
    }
    assert_eq!(data.exists(), !matches!(answer, Some(Answer::Approve(_))), "{expected}");
    chats.ground.workshop.close().await;
}

#[tokio::test]
async fn approved_by_the_chats_person_it_runs() {
    check(Some(Answer::Approve(Scope::Once)), "").await;
}

#[tokio::test]
async fn blocks_on_deny() {
    check(Some(Answer::Deny { reason: None }), "denied").await;
}

#[tokio::test]
async fn blocks_on_timeout() {
    check(None, "timeout").await;
}

/// The way to the chat is lost between the script and its command.
#[tokio::test]
async fn blocks_on_missing_notify() {
    let chats = Chats::new();
    let data = put_data(&chats.ground);
    let (approver, mut shown) = chats.join(ONE);
    let turn = turn(Surface::Gateway, approver, ONE);
    let losing = async {
        let script = next(&mut shown).await;
        // Nobody listens any more when the next question comes.
        drop(shown);
        chats.answer(&script, &Answer::Approve(Scope::Once));
    };
    let (reply, ()) = tokio::join!(execute(&chats.ground, &turn, DANGEROUS_SCRIPT), losing);
    assert!(output(&reply).contains("notify_failed"), "{reply:?}");
    assert!(data.exists());
    chats.ground.workshop.close().await;
}

/// The same script in two chats at once: each is asked about its own, and one's yes is not the other's.
#[tokio::test]
async fn the_same_script_in_another_chat_is_not_affected() {
    let chats = Chats::new();
    let data = put_data(&chats.ground);
    let elsewhere = Ground::new();
    let other_data = put_data(&elsewhere);
    let (one, one_shown) = chats.join(ONE);
    let (other, other_shown) = chats.join(OTHER);
    let (one, other) = (turn(Surface::Gateway, one, ONE), turn(Surface::Gateway, other, OTHER));
    let (allowed, denied, (), ()) = tokio::join!(
        execute(&chats.ground, &one, DANGEROUS_SCRIPT),
        execute(&elsewhere, &other, DANGEROUS_SCRIPT),
        chats.answers(one_shown, ONE, Some(Answer::Approve(Scope::Session))),
        chats.answers(other_shown, OTHER, Some(Answer::Deny { reason: None })),
    );
    assert!(output(&allowed).contains("\"exit_code\": 0"), "{allowed:?}");
    assert!(output(&denied).contains("denied"), "{denied:?}");
    assert!(!data.exists() && other_data.exists());
    chats.ground.workshop.close().await;
    elsewhere.workshop.close().await;
}
