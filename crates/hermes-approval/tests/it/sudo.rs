//! The password for sudo: from where it comes, and to whom it never goes.

use std::sync::Arc;

use hermes_approval::{Cause, Permit};
use hermes_policy::Isolation;
use hermes_proto::executor::{CommandText, StartJob};
use hermes_proto::turn::{Edge, Origin, Surface, TurnContext};

use crate::support::{Bench, Scripted, key, place, turn, turn_at};

fn input(permit: &Permit<CommandText>) -> Option<&str> {
    permit.action().first_input.as_ref().map(hermes_proto::Secret::expose)
}

fn at_terminal(approver: &Arc<Scripted>, session: &str) -> TurnContext {
    turn_at(Edge::new(Surface::Interactive, approver.clone()), session)
}

#[tokio::test]
async fn a_configured_one_is_fed_once_for_each_sudo() {
    let bench = Bench::configured("approvals: {mode: manual}\nterminal: {sudo_password: pass word}\n");
    let permit = bench.unasked("sudo ls /root && sudo id").await.unwrap();
    assert_eq!(input(&permit), Some("pass word\npass word\n"));
    assert_eq!(permit.action().text, "sudo -k -S -p '' ls /root && sudo -k -S -p '' id");
    assert!(!format!("{permit:?}").contains("pass word"));
    let permit = bench.unasked("ls").await.unwrap();
    assert_eq!((input(&permit), &*permit.action().text), (None, "ls"));
    let child = Edge { origin: Origin::Delegated, ..Edge::new(Surface::Headless, Scripted::says([])) };
    let permit = bench.permit(&turn_at(child, "one"), "sudo id").await.unwrap();
    assert_eq!(input(&permit), Some("pass word\n"), "what the operator configured is for everybody");
}

#[tokio::test]
async fn none_goes_into_a_container() {
    let mut bench = Bench::configured("approvals: {mode: manual}\nterminal: {sudo_password: pass word}\n");
    for isolation in [Isolation::Container, Isolation::ContainerWithHostMount] {
        bench.place = place(isolation);
        let permit = bench.unasked("sudo id").await.unwrap();
        assert_eq!((input(&permit), &*permit.action().text), (None, "sudo id"), "{isolation:?}");
    }
}

#[tokio::test]
async fn an_empty_one_counts_as_configured() {
    let bench = Bench::with(
        hermes_approval::GuardSettings {
            sudo_password: Some(hermes_proto::Secret::new("")),
            ..crate::support::settings("")
        },
        |_| (),
    );
    assert_eq!(input(&bench.unasked("sudo id").await.unwrap()), Some("\n"));
}

#[tokio::test]
async fn a_typed_one_is_asked_for_once_and_kept_for_the_session() {
    let bench = Bench::manual();
    let approver = Scripted::says([]).knows("typed");
    let turn = at_terminal(&approver, "one");
    for _ in 0..2 {
        assert_eq!(input(&bench.permit(&turn, "sudo id").await.unwrap()), Some("typed\n"));
    }
    assert_eq!(*approver.secrets_asked.lock().unwrap(), 1);

    let stranger = Scripted::says([]);
    assert_eq!(input(&bench.permit(&at_terminal(&stranger, "two"), "sudo id").await.unwrap()), None);
    let delegated = Edge { origin: Origin::Delegated, ..Edge::new(Surface::Interactive, approver.clone()) };
    let permit = bench.permit(&turn_at(delegated, "one"), "sudo id").await.unwrap();
    assert_eq!((input(&permit), &*permit.action().text), (None, "sudo id"), "sudo fails by itself");
    assert_eq!(*approver.secrets_asked.lock().unwrap(), 1);

    bench.guard.forget_password(&key("one"));
    approver.knows("better");
    assert_eq!(input(&bench.permit(&turn, "sudo id").await.unwrap()), Some("better\n"));
    bench.guard.forget(&key("one"));
    assert_eq!(input(&bench.permit(&turn, "sudo id").await.unwrap()), None);
    let all = format!("{:?}", bench.journal.entries());
    assert!(!all.contains("typed") && !all.contains("better"), "{all}");
    assert!(!format!("{:?}", bench.guard).contains("better"));
}

#[tokio::test]
async fn only_a_terminal_is_asked() {
    let bench = Bench::manual();
    for surface in
        [Surface::Gateway, Surface::Ask, Surface::Cron, Surface::SingleQuery, Surface::Unattended, Surface::Headless]
    {
        let approver = Scripted::says([]).knows("typed");
        let permit = bench.permit(&turn(surface, &approver), "sudo id").await.unwrap();
        assert_eq!((input(&permit), *approver.secrets_asked.lock().unwrap()), (None, 0), "{surface:?}");
    }
}

#[tokio::test]
async fn nothing_that_was_typed_can_become_a_second_line() {
    let bench = Bench::manual();
    let approver = Scripted::says([]).knows("one\ntwo");
    assert_eq!(input(&bench.permit(&at_terminal(&approver, "one"), "sudo id").await.unwrap()), None);
}

#[tokio::test]
async fn guessing_is_refused_and_a_job_gets_none() {
    let bench = Bench::manual();
    let approver = Scripted::says([]).knows("typed");
    let turn = at_terminal(&approver, "one");
    let refusal = bench.permit(&turn, "echo guess | sudo -S id").await.unwrap_err();
    assert!(matches!(refusal.cause, Cause::Floor { .. }), "{refusal:?}");
    assert_eq!(refusal.rule.as_deref(), Some("sudo-stdin"));
    let job = StartJob {
        command: "sudo id".to_owned(),
        environment: Vec::new(),
        working_directory: None,
        terminal: None,
        notify_on_complete: false,
        watch_patterns: Vec::new(),
        persists: false,
    };
    let permit = bench.guard.permit(&turn, &bench.place, job).await.unwrap();
    assert_eq!(permit.action().command, "sudo id");
    assert_eq!(*approver.secrets_asked.lock().unwrap(), 0);
}
