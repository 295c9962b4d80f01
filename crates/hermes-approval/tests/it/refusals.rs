//! What the model is told, and when it is told to stop.

use hermes_approval::Refusal;
use hermes_proto::consent::{Consent, Scope};
use hermes_proto::turn::{Edge, Surface};

use crate::support::{Bench, FLAGGED, Scripted, turn, turn_at};

const NO: Consent = Consent::Denied { reason: None };

fn check(refusal: &Refusal, outcome: &str, expected: &[&str]) {
    let text = refusal.for_model();
    let always = ["was not run", "Do not try it again, do not rephrase it", "another command, tool, script or file"];
    for part in always.iter().chain(expected) {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let fields = serde_json::to_value(refusal.fields()).unwrap();
    assert_eq!(
        (fields["outcome"].as_str(), fields["user_consent"].as_bool()),
        (Some(outcome), Some(false)),
        "{fields}"
    );
}

#[tokio::test]
async fn every_refusal_says_that_nobody_consented() {
    let bench = || Bench::configured("approvals: {mode: manual, deny: ['git fetch*']}\n");
    let asked = |consent: Consent| async move { bench().answered(consent, FLAGGED).await.unwrap_err() };
    check(&asked(NO).await, "denied", &["asked and said no"]);
    let reason = Some("say \"please\"\nfirst".to_owned());
    let denied = asked(Consent::Denied { reason }).await;
    check(&denied, "denied", &["said no", r#""say \"please\"\nfirst""#]);
    assert_eq!(denied.fields().deny_reason.as_deref(), Some("say \"please\"\nfirst"));
    check(&asked(Consent::TimedOut).await, "timeout", &["300 seconds", "Silence is not consent"]);
    check(&asked(Consent::Cancelled).await, "cancelled", &["Nobody has consented"]);
    check(&asked(Consent::Undeliverable).await, "notify_failed", &["Nobody has consented"]);
    check(&bench().unasked("rm -rf /").await.unwrap_err(), "blocked", &["whoever asks", "Nobody has consented"]);
    check(&bench().unasked("git fetch").await.unwrap_err(), "blocked", &["approvals.deny: git fetch*"]);
    let cron = bench().permit(&turn(Surface::Cron, &Scripted::says([])), FLAGGED).await.unwrap_err();
    check(&cron, "blocked", &["approvals.cron_mode", "Nobody has consented"]);
}

#[tokio::test]
async fn too_many_refusals_in_a_row_stop_the_model() {
    let bench = Bench::configured("approvals: {mode: manual, denial_breaker_threshold: 3}\n");
    let is_stop = |refusal: &Refusal| refusal.for_model().starts_with("STOP.");
    let refused = || async { bench.answered(NO, FLAGGED).await.unwrap_err() };
    assert!(!is_stop(&refused().await));
    assert!(!is_stop(&bench.unasked("rm -rf /").await.unwrap_err()));
    drop(bench.unasked("ls").await.unwrap());
    let third = refused().await;
    assert!(is_stop(&third) && third.for_model().contains("number 3 in a row"), "what was harmless does not count");
    assert!(is_stop(&refused().await));
    let other = turn_at(Edge::new(Surface::Interactive, Scripted::says([NO])), "two");
    assert!(!is_stop(&bench.permit(&other, FLAGGED).await.unwrap_err()), "another session is another matter");
    drop(bench.answered(Consent::Approved(Scope::Once), FLAGGED).await.unwrap());
    assert!(!is_stop(&refused().await), "consent starts the count anew");

    let never = Bench::configured("approvals: {mode: manual, denial_breaker_threshold: 0}\n");
    for _ in 0..5 {
        assert!(!is_stop(&never.answered(NO, FLAGGED).await.unwrap_err()));
    }
}
