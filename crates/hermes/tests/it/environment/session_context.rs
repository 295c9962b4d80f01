//! The contract of the seed `test_session_context_inheritance`, at the level of real children.
//!
//! In the original a message's task copied its creator's variables, so that between its start and
//! its own binding a child acted as another chat. Here a context is built from one message and
//! passed; the tests keep the original's names and show its facts.

use hermes_proto::session::{Binding, SessionVariable};
use hermes_proto::turn::{Delivery, Hosting, TurnContext};
use hermes_testkit::permit;

use super::{arrived, environment, polluted_host, seen};

const WATCHED: [SessionVariable; 3] = [SessionVariable::ChatId, SessionVariable::ThreadId, SessionVariable::Key];

fn identity(whose: &str) -> Vec<(SessionVariable, String)> {
    let key = format!("agent:main:discord:thread:{whose}:{whose}");
    [
        (SessionVariable::Key, key),
        (SessionVariable::Platform, "discord".to_owned()),
        (SessionVariable::ChatId, format!("{whose}_CHAT")),
        (SessionVariable::ThreadId, format!("{whose}_THREAD")),
        (SessionVariable::UserId, format!("{whose}_USER")),
        (SessionVariable::ChatName, whose.to_lowercase()),
        (SessionVariable::MessageId, format!("{whose}_MSG")),
    ]
    .into()
}

fn bound(hosting: &Hosting, whose: &str, delivery: Delivery) -> TurnContext {
    arrived(hosting).bind(identity(whose), delivery)
}

fn value(seen: &[(String, String)], variable: SessionVariable) -> Option<&str> {
    seen.iter().find(|(name, _)| name == variable.name()).map(|(_, value)| value.as_str())
}

/// The leak needs another turn's context in hand: with it, and only with it, a child acts as
/// the other chat. A message that arrives meanwhile has no such context to start from.
#[tokio::test]
async fn test_child_task_inherits_foreign_session_without_reset() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let hosting = Hosting::new();
    let mine = bound(&hosting, "MINE", Delivery::Unset);
    assert_eq!(value(&seen(&environment, &mine).await, SessionVariable::ChatId), Some("MINE_CHAT"));
    let message = arrived(&hosting);
    assert_eq!(value(&seen(&environment, &message).await, SessionVariable::ChatId), None);
    environment.close().await.unwrap();
}

/// Between its arrival and its own binding a message's children see no session at all, whatever
/// others have bound and whatever the process's environment says; afterwards, its own.
#[tokio::test]
async fn test_reset_session_vars_closes_inheritance_leak() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let hosting = Hosting::new();
    let mine = bound(&hosting, "MINE", Delivery::Unset);
    let message = arrived(&hosting);
    // The session's own shell has just worked for the other chat.
    assert_eq!(value(&seen(&environment, &mine).await, SessionVariable::ThreadId), Some("MINE_THREAD"));
    assert_eq!(seen(&environment, &message).await, []);
    let message = message.bind(identity("FOREIGN"), Delivery::Unset);
    let after = seen(&environment, &message).await;
    for (variable, expected) in identity("FOREIGN") {
        assert_eq!(value(&after, variable), Some(expected.as_str()), "{variable:?}");
    }
    assert!(WATCHED.iter().all(|variable| !value(&after, *variable).unwrap().contains("MINE")));
    environment.close().await.unwrap();
}

/// Unset is not empty: the one is absent in a child, the other present and empty.
#[tokio::test]
async fn test_reset_session_vars_restores_unset_not_empty() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let hosting = Hosting::new();
    drop(bound(&hosting, "MINE", Delivery::Unset));
    let message = arrived(&hosting);
    assert!(message.variables().iter().all(|(_, binding)| *binding == Binding::Unset));
    assert_eq!(seen(&environment, &message).await, []);
    let cleared = message.bind([], Delivery::Unset);
    let after = seen(&environment, &cleared).await;
    for variable in WATCHED {
        assert_eq!(cleared.variables().get(variable), &Binding::Cleared);
        assert_eq!(value(&after, variable), Some(""), "{variable:?}");
    }
    assert_eq!(value(&after, SessionVariable::Cron), None);
    environment.close().await.unwrap();
}

/// A job's notices are dropped for the stateless caller, and only for it.
async fn notices_are_dropped(turn: &TurnContext) -> bool {
    use hermes_proto::executor::StartJob;
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let job = StartJob {
        command: "true".to_owned(),
        environment: Vec::new(),
        working_directory: None,
        terminal: None,
        notify_on_complete: true,
        watch_patterns: Vec::new(),
        persists: false,
    };
    let snapshot = environment.start_job(turn, permit(turn, &environment.place(), job)).await.unwrap();
    environment.close().await.unwrap();
    snapshot.notes.iter().any(|note| note.contains("poll"))
}

/// Again the leak needs the other turn's context: a stateless caller's own job gets no notices.
#[tokio::test]
async fn test_child_task_inherits_foreign_async_delivery_without_reset() {
    let stateless = bound(&Hosting::new(), "FOREIGN", Delivery::Unsupported);
    assert!(!stateless.delivery().is_supported());
    assert!(notices_are_dropped(&stateless).await);
}

/// A message that arrives beside a stateless caller keeps its notices.
#[tokio::test]
async fn test_reset_session_vars_closes_async_delivery_leak() {
    let hosting = Hosting::new();
    let _stateless = bound(&hosting, "FOREIGN", Delivery::Unsupported);
    let message = arrived(&hosting);
    assert!(message.delivery().is_supported());
    assert!(!notices_are_dropped(&message).await);
}

/// Nothing said is not the same as "no": it counts as supported.
#[tokio::test]
async fn test_reset_session_vars_restores_async_delivery_unset() {
    let hosting = Hosting::new();
    let _stateless = bound(&hosting, "FOREIGN", Delivery::Unsupported);
    let message = arrived(&hosting);
    assert_eq!(message.delivery(), Delivery::Unset);
    assert!(message.delivery().is_supported());
    let bound = message.bind(identity("MINE"), Delivery::Unset);
    assert_eq!(bound.delivery(), Delivery::Unset);
    assert!(!notices_are_dropped(&bound).await);
}

/// A command line that never hosted a session passes on what it was started with.
#[tokio::test]
async fn a_one_shot_command_line_passes_inherited_values_on() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let after = seen(&environment, &arrived(&Hosting::new())).await;
    assert_eq!(after.len(), SessionVariable::ALL.len());
    assert!(after.iter().all(|(_, value)| value == "LEFT_BEHIND"));
    environment.close().await.unwrap();
}

/// What a turn's command exports under a session variable's name does not survive into the next turn.
#[tokio::test]
async fn a_command_cannot_leave_an_identity_behind() {
    let folder = tempfile::tempdir().unwrap();
    let environment = environment(folder.path(), polluted_host()).await;
    let hosting = Hosting::new();
    let mine = bound(&hosting, "MINE", Delivery::Unset);
    let forged = "export HERMES_SESSION_KEY=forged HERMES_SESSION_USER_ID=forged KEPT=yes";
    assert_eq!(super::run(&environment, &mine, forged).await.exit_code, 0);
    assert_eq!(seen(&environment, &arrived(&hosting)).await, []);
    let other = bound(&hosting, "OTHER", Delivery::Unset);
    assert_eq!(value(&seen(&environment, &other).await, SessionVariable::UserId), Some("OTHER_USER"));
    assert_eq!(super::run(&environment, &other, "echo $KEPT").await.output, "yes\n");
    environment.close().await.unwrap();
}
