//! Every outcome of asking, and who is asked.

use std::time::{Duration, Instant};

use hermes_approval::{Cause, Outcome, Yolo};
use hermes_policy::Isolation;
use hermes_policy::decide::Why;
use hermes_proto::consent::{ActionKind, Consent, NobodyToAsk, Scope};
use hermes_proto::executor::{CommandText, FileRequest, ListFiles, StartJob, WriteFile};
use hermes_proto::turn::{Edge, Surface};

use crate::support::{Bench, FLAGGED, RULE, Scripted, key, place, settings, turn, turn_at};

#[tokio::test]
async fn each_outcome_has_its_own_word_and_only_approval_permits() {
    let reason = Some("not on fridays".to_owned());
    for (consent, expected) in [
        (Consent::Approved(Scope::Once), None),
        (Consent::Approved(Scope::Session), None),
        (Consent::Approved(Scope::Always), None),
        (Consent::Denied { reason: None }, Some(Outcome::Denied)),
        (Consent::Denied { reason }, Some(Outcome::Denied)),
        (Consent::TimedOut, Some(Outcome::Timeout)),
        (Consent::Cancelled, Some(Outcome::Cancelled)),
        (Consent::Undeliverable, Some(Outcome::NotifyFailed)),
    ] {
        let answered = Bench::manual().answered(consent.clone(), FLAGGED).await;
        assert_eq!(answered.as_ref().err().map(hermes_approval::Refusal::outcome), expected, "{consent:?}");
        if let Err(refusal) = answered {
            let fields = refusal.fields();
            assert_eq!((fields.rule.as_deref(), fields.user_consent), (Some(RULE), false));
        }
    }
}

#[tokio::test]
async fn the_question_says_what_where_why_and_how_far() {
    let approver = Scripted::says([Consent::Approved(Scope::Once)]);
    drop(Bench::manual().permit(&turn(Surface::Gateway, &approver), FLAGGED).await.unwrap());
    let [asked] = &approver.asked()[..] else { panic!("asked once") };
    assert_eq!((asked.kind, &*asked.action, &*asked.place), (ActionKind::Command, FLAGGED, "here"));
    let [finding] = &asked.findings[..] else { panic!("found once") };
    assert_eq!((&*finding.key, &*finding.about), (RULE, FLAGGED));
    let scopes: Vec<_> = asked.offers.iter().map(|offer| offer.scope).collect();
    assert_eq!(scopes, [Scope::Once, Scope::Session], "nothing can be kept for good without a home");
    assert_eq!(asked.patience, Duration::from_secs(300));
}

#[tokio::test]
async fn what_nothing_speaks_against_runs_unasked() {
    let bench = Bench::manual();
    drop(bench.unasked("cargo build").await.unwrap());
    let harmless = FileRequest::List(ListFiles { path: "/etc".to_owned(), limit: 10 });
    let turn = turn(Surface::Headless, &Scripted::says([]));
    drop(bench.guard.permit(&turn, &bench.place, harmless).await.unwrap());
}

#[tokio::test]
async fn every_kind_of_action_is_asked_about() {
    let bench = Bench::manual();
    let approver = Scripted::says([Consent::Denied { reason: None }, Consent::Denied { reason: None }]);
    let turn = turn(Surface::Interactive, &approver);
    let job = StartJob { command: FLAGGED.to_owned(), ..job() };
    bench.guard.permit(&turn, &bench.place, job).await.unwrap_err();
    let write = FileRequest::Write(WriteFile { path: "~/.bashrc".to_owned(), content: "x".to_owned() });
    bench.guard.permit(&turn, &bench.place, write).await.unwrap_err();
    let kinds: Vec<_> = approver.asked().iter().map(|asked| asked.kind).collect();
    assert_eq!(kinds, [ActionKind::BackgroundJob, ActionKind::FileWrite]);
}

#[tokio::test(start_paused = true)]
async fn silence_is_a_refusal_in_the_end() {
    let approver = Scripted::silent();
    let refusal = Bench::manual().permit(&turn(Surface::Interactive, &approver), FLAGGED).await.unwrap_err();
    assert!(matches!(refusal.cause, Cause::TimedOut { after } if after == Duration::from_secs(300)), "{refusal:?}");
    assert!(refusal.for_model().contains("Silence is not consent"), "{}", refusal.for_model());
}

#[tokio::test]
async fn an_interrupted_turn_does_not_wait() {
    let bench = Bench::manual();
    let turn = turn(Surface::Interactive, &Scripted::silent());
    let (refusal, ()) = tokio::join!(bench.permit(&turn, FLAGGED), async { turn.cancellation().cancel() });
    assert!(matches!(refusal.unwrap_err().cause, Cause::Cancelled));
    let refusal = bench.permit(&turn, "ls").await.unwrap_err();
    assert!(matches!(refusal.cause, Cause::Cancelled), "nothing is permitted in it any more");
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_no_longer_than_its_turn() {
    let approver = Scripted::silent();
    let deadline = Some(Instant::now() + Duration::from_secs(20));
    let edge = Edge { deadline, ..Edge::new(Surface::Interactive, approver.clone()) };
    let refusal = Bench::manual().permit(&turn_at(edge, "one"), FLAGGED).await.unwrap_err();
    assert!(matches!(refusal.cause, Cause::TimedOut { .. }), "{refusal:?}");
    assert!(approver.asked()[0].patience <= Duration::from_secs(20));
}

#[tokio::test]
async fn a_finished_turn_gets_nothing() {
    let turn = turn(Surface::Interactive, &Scripted::says([]));
    turn.finish();
    assert!(matches!(Bench::manual().permit(&turn, "ls").await.unwrap_err().cause, Cause::Cancelled));
}

#[tokio::test]
async fn where_nobody_is_there_the_setting_answers() {
    for surface in [Surface::Cron, Surface::SingleQuery, Surface::Unattended, Surface::Headless] {
        let turn = turn(surface, &Scripted::says([]));
        let refusal = Bench::manual().permit(&turn, FLAGGED).await.unwrap_err();
        assert!(matches!(refusal.cause, Cause::Policy(Why::Answered(..))), "{surface:?} {refusal:?}");
        assert_eq!(refusal.outcome(), Outcome::Blocked);
    }
    let yaml = "approvals: {cron_mode: approve}\n";
    drop(Bench::configured(yaml).permit(&turn(Surface::Cron, &Scripted::says([])), FLAGGED).await.unwrap());
    let chat_without_a_way_back = turn_at(Edge::new(Surface::Gateway, std::sync::Arc::new(NobodyToAsk)), "one");
    let refusal = Bench::manual().permit(&chat_without_a_way_back, FLAGGED).await.unwrap_err();
    assert_eq!(refusal.outcome(), Outcome::NotifyFailed);
}

#[tokio::test]
async fn floor_and_deny_list_stand_whatever_is_switched_off() {
    let yaml = "approvals: {mode: 'off', deny: ['git push*', 'rm *secret*']}\n";
    let mut bench = Bench::with(hermes_approval::GuardSettings { process_yolo: Yolo::On, ..settings(yaml) }, |_| ());
    bench.guard.set_yolo(&key("one"), Yolo::On);
    for isolation in [Isolation::None, Isolation::Sandbox, Isolation::Container] {
        bench.place = place(isolation);
        let floor = bench.unasked("rm -rf /").await.unwrap_err();
        assert!(matches!(floor.cause, Cause::Floor { .. }), "{isolation:?} {floor:?}");
        for denied in ["git push", "cd x && git push --force", "git commit -m 'x'; rm my-secret"] {
            let refusal = bench.unasked(denied).await.unwrap_err();
            assert!(matches!(refusal.cause, Cause::DenyList { .. }), "{isolation:?} {denied} {refusal:?}");
        }
        drop(bench.unasked("git reset --hard").await.unwrap());
    }
}

#[tokio::test]
async fn the_operators_own_command_is_not_asked_about_but_not_above_the_floor() {
    let bench = Bench::configured("approvals: {deny: ['halt*']}\n");
    let turn = turn(Surface::Interactive, &Scripted::says([]));
    let typed = |text: &str| bench.guard.permit_typed(&turn, &bench.place, CommandText::new(text));
    drop(typed(FLAGGED).unwrap());
    assert!(matches!(typed("rm -rf /").unwrap_err().cause, Cause::Floor { .. }));
    assert!(matches!(typed("halts").unwrap_err().cause, Cause::DenyList { .. }));
    assert!(matches!(typed("sudo -S ls").unwrap_err().cause, Cause::Floor { .. }), "nobody configured a password");
}

#[tokio::test]
async fn yolo_is_of_one_session_or_of_the_whole_process() {
    let bench = Bench::manual();
    bench.guard.set_yolo(&key("one"), Yolo::On);
    drop(bench.unasked(FLAGGED).await.unwrap());
    let approver = Scripted::says([Consent::Denied { reason: None }]);
    let other = turn_at(Edge::new(Surface::Interactive, approver), "two");
    bench.permit(&other, FLAGGED).await.unwrap_err();
    bench.guard.set_yolo(&key("one"), Yolo::Off);
    bench.answered(Consent::Denied { reason: None }, FLAGGED).await.unwrap_err();
    bench.guard.set_yolo(&key("one"), Yolo::On);
    bench.guard.forget(&key("one"));
    bench.answered(Consent::Denied { reason: None }, FLAGGED).await.unwrap_err();

    let process = hermes_approval::GuardSettings { process_yolo: Yolo::On, ..settings("") };
    let bench = Bench::with(process, |_| ());
    drop(bench.permit(&turn_at(Edge::new(Surface::Headless, Scripted::says([])), "two"), FLAGGED).await.unwrap());
}

#[test]
fn the_processs_yolo_is_read_from_its_environment() {
    use hermes_proto::HostEnvironment;
    for (value, expected) in [
        ("1", Yolo::On),
        ("true", Yolo::On),
        (" YES ", Yolo::On),
        ("0", Yolo::Off),
        ("", Yolo::Off),
        ("off", Yolo::Off),
    ] {
        let environment = HostEnvironment::from_pairs([("HERMES_YOLO_MODE", value)]);
        assert_eq!(Yolo::of_process(&environment), expected, "{value:?}");
    }
}

#[tokio::test]
async fn isolation_spares_the_question_where_policy_says_so() {
    let mut bench = Bench::manual();
    bench.place = place(Isolation::Container);
    drop(bench.unasked(FLAGGED).await.unwrap());
    for isolation in [Isolation::ContainerWithHostMount, Isolation::Sandbox, Isolation::None] {
        bench.place = place(isolation);
        bench.answered(Consent::Denied { reason: None }, FLAGGED).await.unwrap_err();
    }
    let bench = Bench::configured("approvals: {mode: manual, trust_sandbox: true}\n");
    drop(bench.unasked(FLAGGED).await.unwrap());
}

#[tokio::test]
async fn what_always_needs_consent_gets_it_asked() {
    let yaml = "approvals: {mode: manual, command_approval_required: ['terraform apply*']}\n";
    let bench = Bench::configured(yaml);
    let refusal = bench.answered(Consent::Denied { reason: None }, "terraform apply").await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("approval-required"));
}

fn job() -> StartJob {
    StartJob {
        command: String::new(),
        environment: Vec::new(),
        working_directory: None,
        terminal: None,
        notify_on_complete: false,
        watch_patterns: Vec::new(),
        persists: false,
    }
}
