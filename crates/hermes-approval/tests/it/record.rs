//! What is on record, exactly, and what happens when nothing can be.

use std::sync::Arc;

use hermes_approval::{Cause, Guard, GuardParts, Outcome, PermanentGrants, Refusal};
use hermes_home::redact::Redactor;
use hermes_policy::Isolation;
use hermes_proto::Secret;
use hermes_proto::consent::{Consent, Scope};
use hermes_proto::executor::CommandText;
use hermes_proto::turn::Surface;
use hermes_store::audit::Audit;
use hermes_store::{Settings, Store};

use crate::support::{Bench, FLAGGED, Memory, Scripted, place, settings, turn};

const ABOUT: &str = "interactive|here|git push --force|ask|git-push-force";

async fn check(consent: Consent, decided: &str) {
    let bench = Bench::manual();
    let _ = bench.answered(consent, FLAGGED).await;
    assert_eq!(bench.journal.lines(), [format!("requested {ABOUT}"), format!("decided {decided} {ABOUT}")]);
}

#[tokio::test]
async fn request_and_decision_are_written_for_every_outcome() {
    check(Consent::Approved(Scope::Once), "true approved once by person").await;
    check(Consent::Approved(Scope::Session), "true approved session by person").await;
    check(Consent::Denied { reason: Some("no".to_owned()) }, "false denied by person").await;
    check(Consent::TimedOut, "false timeout by person").await;
    check(Consent::Cancelled, "false cancelled by turn").await;
    check(Consent::Undeliverable, "false notify_failed by notifier").await;
}

#[tokio::test]
async fn a_command_leaves_four_entries_of_one_request() {
    let bench = Bench::manual();
    let turn = turn(Surface::Gateway, &Scripted::says([]));
    let (_, ticket) = bench.permit(&turn, "ls").await.unwrap().redeem(&turn, bench.place.id).unwrap();
    ticket.ended("exit 0");
    let about = "gateway|here|ls|allow|";
    let expected = [
        format!("requested {about}"),
        format!("decided true allowed by nothing-found {about}"),
        format!("started {about}"),
        format!("ended exit 0 {about}"),
    ];
    assert_eq!(bench.journal.lines(), expected);
    let entries = bench.journal.entries();
    assert!(entries.iter().all(|entry| entry.request == entries[0].request && !entry.request.is_empty()));
    assert!(entries.iter().all(|entry| entry.session.as_deref() == Some("one") && entry.who.as_deref() == Some("ann")));
    let (_, ticket) = bench.permit(&turn, "ls").await.unwrap().redeem(&turn, bench.place.id).unwrap();
    drop(ticket);
    assert_eq!(bench.journal.lines().last().unwrap(), &format!("ended given up {about}"));
}

#[tokio::test]
async fn refusals_by_policy_name_what_decided() {
    let bench = Bench::configured("approvals: {mode: manual, deny: ['git push*']}\n");
    bench.unasked("rm -rf /").await.unwrap_err();
    bench.unasked("git push").await.unwrap_err();
    bench.permit(&turn(Surface::Cron, &Scripted::says([])), "git reset --hard").await.unwrap_err();
    let decided: Vec<_> = bench.journal.lines().into_iter().filter(|line| line.starts_with("decided")).collect();
    assert_eq!(
        decided,
        [
            "decided false blocked by floor interactive|here|rm -rf /|floor|rm-root",
            "decided false blocked by deny-list interactive|here|git push|allow|",
            "decided false blocked by cron-mode cron|here|git reset --hard|ask|git-reset-hard",
        ]
    );
}

fn broken() -> (Guard, Arc<Memory>) {
    let journal = Arc::new(Memory { is_broken: true, ..Memory::default() });
    (Guard::new(GuardParts::new(settings(""), journal.clone(), PermanentGrants::none())), journal)
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_done() {
    let (guard, _) = broken();
    let place = place(Isolation::Container);
    let turn = turn(Surface::Interactive, &Scripted::says([]));
    let check = |refusal: Refusal| {
        assert!(matches!(refusal.cause, Cause::Journal(_)), "{refusal:?}");
        assert_eq!(refusal.outcome(), Outcome::Blocked);
    };
    check(guard.permit(&turn, &place, CommandText::new("ls")).await.unwrap_err());
    check(guard.permit_typed(&turn, &place, CommandText::new("ls")).unwrap_err());
}

#[tokio::test]
async fn the_audit_chain_takes_it_all_and_keeps_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::of(folder.path(), Settings::of(&hermes_home::config::Database::default()).unwrap());
    let audit = Audit::open(&store, Redactor::new([Secret::new("hunter2-hunter2")]));
    let bench =
        Bench::with(settings("approvals: {mode: manual}\nterminal: {sudo_password: hunter2-hunter2}\n"), |parts| {
            parts.journal = Arc::new(audit.clone());
        });
    let turn = turn(Surface::Interactive, &Scripted::says([Consent::Approved(Scope::Once)]));
    let command = "git push --force https://ann:hunter2-hunter2@example.org/x && sudo ls";
    let (action, ticket) = bench.permit(&turn, command).await.unwrap().redeem(&turn, bench.place.id).unwrap();
    assert!(action.text.contains("hunter2"), "what runs is what was asked for");
    ticket.ended("exit 1");
    let with_password = bench.permit(&turn, "sudo ls").await.unwrap();
    assert!(with_password.action().first_input.as_ref().unwrap().expose().contains("hunter2"));
    drop(with_password.redeem(&turn, bench.place.id).unwrap());

    let recorded = audit.entries(&hermes_store::audit::Filter::first(100)).unwrap();
    let kinds: Vec<_> = recorded.iter().map(|entry| entry.kind.as_str()).collect();
    assert_eq!(kinds, ["request", "decision", "start", "end", "request", "decision", "start", "end"]);
    let all = serde_json::to_string(&recorded).unwrap();
    assert!(!all.contains("hunter2"), "{all}");
    let decision = &recorded[1];
    assert_eq!(decision.outcome.as_deref(), Some("approved once"));
    assert_eq!(decision.rule.as_deref(), Some("git-push-force"));
    assert_eq!(decision.detail.as_ref().unwrap()["by"], "person");
    assert!(recorded[..4].iter().all(|entry| entry.request == decision.request), "{all}");
    assert_eq!(decision.request.as_str().len(), 36, "a request's name is no secret: {}", decision.request);
    audit.verify().unwrap();
}
