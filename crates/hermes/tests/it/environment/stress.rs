//! Many sessions at once in one process whose environment is polluted: every child reports what
//! it sees, and sees its own turn and nothing else.

use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Hosting};
use tokio::task::JoinSet;

use super::{arrived, environment, polluted_host, run};

const SESSIONS: usize = 64;
const TURNS: usize = 200;
/// Every so many turns a child is also started before the turn is bound.
const WINDOW_EVERY: usize = 20;

/// Reports with the shell's own means: no process but the shell itself.
const REPORT: &str = r#"printf '%s|' "${HERMES_SESSION_KEY-absent}" "${HERMES_SESSION_CHAT_ID-absent}" \
    "${HERMES_SESSION_MESSAGE_ID-absent}" "${HERMES_SESSION_USER_ID-absent}" "${HERMES_CRON_SESSION-absent}""#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_sessions_with_two_hundred_turns_each_see_only_themselves() {
    let hosting = Hosting::new();
    let mut sessions = JoinSet::new();
    for session in 0..SESSIONS {
        let hosting = hosting.clone();
        sessions.spawn(async move { turns_of(session, &hosting).await });
    }
    let children: usize = sessions.join_all().await.into_iter().sum();
    assert_eq!(children, SESSIONS * (TURNS + TURNS / WINDOW_EVERY));
}

/// Runs all turns of one session; answers how many children reported.
async fn turns_of(session: usize, hosting: &Hosting) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let mut children = 0;
    for number in 0..TURNS {
        let turn = arrived(hosting);
        // The very first message of the process may come before any session is hosted.
        if number % WINDOW_EVERY == WINDOW_EVERY - 1 {
            let window = run(&environment, &turn, REPORT).await;
            assert_eq!(window.output, "absent|absent|absent|absent|absent|", "session {session}, turn {number}");
            children += 1;
        }
        let turn = turn.bind(
            [
                (SessionVariable::Key, format!("key-{session}")),
                (SessionVariable::ChatId, format!("chat-{session}")),
                (SessionVariable::MessageId, format!("message-{session}-{number}")),
            ],
            Delivery::Unset,
        );
        let own = run(&environment, &turn, REPORT).await;
        let expected = format!("key-{session}|chat-{session}|message-{session}-{number}||absent|");
        assert_eq!(own.output, expected, "session {session}, turn {number}");
        children += 1;
    }
    environment.close().await.unwrap();
    children
}
