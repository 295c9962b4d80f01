//! What an approval allows from then on, and what it does not.

use hermes_approval::{Guard, GuardParts, Outcome, PermanentGrants};
use hermes_policy::Isolation;
use hermes_proto::consent::{Consent, Scope};
use hermes_proto::turn::{Edge, Surface, TurnContext};

use crate::support::{Bench, FLAGGED, Scripted, home_at, key, place, settings, turn, turn_at};

const NO: Consent = Consent::Denied { reason: None };

fn of(session: &str, answers: &[Consent]) -> TurnContext {
    turn_at(Edge::new(Surface::Interactive, Scripted::says(answers.to_vec())), session)
}

#[tokio::test]
async fn once_stores_nothing() {
    let bench = Bench::manual();
    drop(bench.answered(Consent::Approved(Scope::Once), FLAGGED).await.unwrap());
    assert!(bench.guard.session_grants(&key("one")).grants().is_empty());
    bench.answered(NO, FLAGGED).await.unwrap_err();
}

#[tokio::test]
async fn session_is_for_this_text_in_this_session() {
    let bench = Bench::manual();
    drop(bench.answered(Consent::Approved(Scope::Session), FLAGGED).await.unwrap());
    drop(bench.unasked(FLAGGED).await.unwrap());
    bench.answered(NO, "git push --force origin main").await.unwrap_err();
    bench.permit(&of("two", &[NO]), FLAGGED).await.unwrap_err();
    bench.guard.forget(&key("one"));
    bench.answered(NO, FLAGGED).await.unwrap_err();
}

#[tokio::test]
async fn a_grant_for_one_rule_does_not_cover_another_finding() {
    let folder = tempfile::tempdir().unwrap();
    let (home, environment) = home_at(folder.path(), "command_allowlist: ['rule:git-push-force']\n");
    let bench = Bench::with(settings("approvals: {mode: manual}\n"), |parts| {
        parts.permanent = PermanentGrants::of(&home, &environment);
    });
    drop(bench.unasked(FLAGGED).await.unwrap());
    let approver = Scripted::says([NO]);
    let refusal = bench.permit(&turn(Surface::Interactive, &approver), "git push --force; git reset --hard").await;
    assert_eq!(refusal.unwrap_err().outcome(), Outcome::Denied);
    let keys: Vec<_> = approver.asked()[0].findings.iter().map(|finding| finding.key.clone()).collect();
    assert_eq!(keys, ["git-push-force", "git-reset-hard"], "the person sees all of it");
}

#[tokio::test]
async fn always_is_written_and_seen_by_another_guard() {
    let folder = tempfile::tempdir().unwrap();
    let (home, environment) = home_at(folder.path(), "# mine\ncommand_allowlist:\n  - make clean # often\n");
    let permanent = || PermanentGrants::of(&home, &environment);
    let journal = std::sync::Arc::new(crate::support::Memory::default());
    let guard = || Guard::new(GuardParts::new(settings("approvals: {mode: manual}\n"), journal.clone(), permanent()));
    let (first, second) = (guard(), guard());
    let place = place(Isolation::None);
    let command = || hermes_proto::executor::CommandText::new(FLAGGED);
    let approver = Scripted::says([Consent::Approved(Scope::Always)]);
    drop(first.permit(&turn(Surface::Interactive, &approver), &place, command()).await.unwrap());
    let offer = approver.asked()[0].offers.last().unwrap().clone();
    assert_eq!((offer.scope, offer.allows.contains(FLAGGED)), (Scope::Always, true), "{offer:?}");
    let written = std::fs::read_to_string(home.config_path()).unwrap();
    assert_eq!(written, format!("# mine\ncommand_allowlist:\n  - make clean # often\n  - {FLAGGED}\n"));
    drop(second.permit(&of("another", &[]), &place, command()).await.unwrap());
    assert!(permanent().revoke(FLAGGED).unwrap());
    second.permit(&of("another", &[NO]), &place, command()).await.unwrap_err();
}

#[tokio::test]
async fn a_list_that_cannot_be_read_allows_nothing_and_one_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let broken = format!("command_allowlist: ['{FLAGGED}'\n");
    let (home, environment) = home_at(folder.path(), &broken);
    let bench = Bench::with(settings("approvals: {mode: manual}\n"), |parts| {
        parts.permanent = PermanentGrants::of(&home, &environment);
    });
    bench.answered(NO, FLAGGED).await.unwrap_err();
    drop(bench.answered(Consent::Approved(Scope::Always), FLAGGED).await.unwrap());
    assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), broken);
    let [note] = &bench.guard.take_notes()[..] else { panic!("said once") };
    assert!(note.contains("this session only"), "{note}");
    drop(bench.unasked(FLAGGED).await.unwrap());
}

#[tokio::test]
async fn a_scope_that_was_not_offered_is_narrowed() {
    let bench = Bench::manual();
    let scopes = |asked: &hermes_proto::consent::ConsentRequest| {
        asked.offers.iter().map(|offer| offer.scope).collect::<Vec<_>>()
    };
    // What it does depends on something else: allowing the text again would allow anything.
    let open = "git push --force $(cat branch)";
    let approver = Scripted::says([Consent::Approved(Scope::Always)]);
    drop(bench.permit(&turn(Surface::Interactive, &approver), open).await.unwrap());
    assert_eq!(scopes(&approver.asked()[0]), [Scope::Once]);
    assert!(bench.guard.session_grants(&key("one")).grants().is_empty());
    bench.answered(NO, open).await.unwrap_err();

    let approver = Scripted::says([Consent::Approved(Scope::Session)]);
    let unbound =
        TurnContext::arrived(&hermes_proto::turn::Hosting::new(), Edge::new(Surface::Interactive, approver.clone()));
    drop(bench.permit(&unbound, FLAGGED).await.unwrap());
    assert_eq!(scopes(&approver.asked()[0]), [Scope::Once], "without a session there is none to allow it in");
}
