//! The seed's window test, with real commands: each reports whose it is, while many run at once.

use std::collections::BTreeSet;

use super::process::{Ground, delivered, say};

const CHATS: usize = 8;
const TURNS: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn every_command_knows_its_own_conversation_and_no_other() {
    let ground = Ground::new("display: {busy_input_mode: queue}");
    let gateway = ground.start();
    let (mut client, mut listener) = (gateway.client().await, gateway.listener().await);
    for turn in 0..TURNS {
        for chat in 0..CHATS {
            let command = "run echo \"$HERMES_SESSION_CHAT_ID $HERMES_SESSION_KEY $HERMES_SESSION_USER_ID $HERMES_SESSION_MESSAGE_ID [$HERMES_SESSION_THREAD_ID]\"";
            say(&mut client, &format!("c{chat}"), &format!("m{chat}-{turn}"), command).await;
        }
    }
    let mut seen = BTreeSet::new();
    for _ in 0..CHATS * TURNS {
        let (_, answers, text) = delivered(&mut listener).await;
        let chat = format!("c{}", answers.strip_prefix('m').unwrap().split('-').next().unwrap());
        assert_eq!(text.trim(), format!("{chat} agent:main:local:dm:{chat} user-{chat} {answers} []"));
        seen.insert(answers);
    }
    assert_eq!(seen.len(), CHATS * TURNS);
    gateway.signal(rustix::process::Signal::INT);
    assert_eq!(gateway.wait().code(), Some(0));
}
