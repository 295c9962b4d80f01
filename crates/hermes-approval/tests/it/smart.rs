//! The reviewing model: spares a person only with a clean word, and never has the last one.

use std::sync::{Arc, Mutex};

use hermes_approval::{GuardSettings, Outcome, PendingReview, PermanentGrants, Review, ReviewRequest, Reviewer};
use hermes_policy::Isolation;
use hermes_policy::decide::Mode;
use hermes_proto::consent::{Consent, Scope};
use hermes_proto::turn::Surface;

use crate::support::{Bench, FLAGGED, Scripted, home_at, key, place, settings, turn};

#[derive(Debug)]
struct Says {
    review: Option<Review>,
    asked: Mutex<Vec<ReviewRequest>>,
}

impl Reviewer for Says {
    fn review<'a>(&'a self, request: &'a ReviewRequest) -> PendingReview<'a> {
        self.asked.lock().unwrap().push(request.clone());
        Box::pin(async move {
            match &self.review {
                Some(review) => review.clone(),
                None => std::future::pending().await,
            }
        })
    }
}

fn bench(review: Option<Review>) -> (Bench, Arc<Says>) {
    let says = Arc::new(Says { review, asked: Mutex::default() });
    let settings = GuardSettings { mode: Mode::Smart, smart_policy: "be strict".to_owned(), ..settings("") };
    let folder = tempfile::tempdir().unwrap();
    let (home, environment) = home_at(folder.path(), "");
    let bench = Bench::with(settings, |parts| {
        parts.reviewer = Some(says.clone());
        parts.permanent = PermanentGrants::of(&home, &environment);
    });
    (bench, says)
}

#[tokio::test]
async fn an_approval_covers_this_one_command() {
    let (bench, says) = bench(Some(Review::Approve));
    drop(bench.unasked(FLAGGED).await.unwrap());
    drop(bench.unasked(FLAGGED).await.unwrap());
    let asked = says.asked.lock().unwrap().clone();
    assert_eq!(asked.len(), 2, "nothing is remembered");
    assert_eq!((&*asked[0].command, &*asked[0].policy_text, &*asked[0].place), (FLAGGED, "be strict", "here"));
    assert!(bench.guard.session_grants(&key("one")).grants().is_empty());
    let decided = &bench.journal.lines()[1];
    assert!(decided.starts_with("decided true approved once by reviewer"), "{decided}");
}

#[tokio::test]
async fn it_sees_flagged_commands_only() {
    let (mut bench, says) = bench(Some(Review::Approve));
    drop(bench.unasked("ls").await.unwrap());
    bench.unasked("rm -rf /").await.unwrap_err();
    bench.permit(&turn(Surface::Cron, &Scripted::says([])), FLAGGED).await.unwrap_err();
    bench.place = place(Isolation::Container);
    drop(bench.unasked(FLAGGED).await.unwrap());
    assert_eq!(says.asked.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn anything_else_goes_to_the_person() {
    let (bench, _) = bench(Some(Review::Escalate));
    let approver = Scripted::says([Consent::Denied { reason: None }]);
    let refusal = bench.permit(&turn(Surface::Gateway, &approver), FLAGGED).await.unwrap_err();
    assert_eq!(refusal.outcome(), Outcome::Denied);
    assert_eq!(approver.asked()[0].offers.len(), 3);
}

#[tokio::test]
async fn its_refusal_can_be_overridden_once() {
    let (bench, _) = bench(Some(Review::Deny { reason: Some("rewrites history".to_owned()) }));
    let approver = Scripted::says([Consent::Approved(Scope::Always)]);
    drop(bench.permit(&turn(Surface::Interactive, &approver), FLAGGED).await.unwrap());
    let asked = &approver.asked()[0];
    assert_eq!(asked.offers.iter().map(|offer| offer.scope).collect::<Vec<_>>(), [Scope::Once]);
    let last = asked.findings.last().unwrap();
    assert_eq!((&*last.key, last.reason.contains("rewrites history")), ("review", true), "the person is told");
    assert!(bench.guard.session_grants(&key("one")).grants().is_empty());
    bench.answered(Consent::Denied { reason: None }, FLAGGED).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn one_that_hangs_is_not_waited_for() {
    let (bench, says) = bench(None);
    drop(bench.answered(Consent::Approved(Scope::Once), FLAGGED).await.unwrap());
    assert_eq!(says.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_shown_whole_and_plain_is_not_shown_to_it() {
    let (bench, says) = bench(Some(Review::Approve));
    let long = format!("{FLAGGED} # {}", "x".repeat(33_000));
    for text in [long.as_str(), "git push --force # \u{202e}", "git push --force '\u{1b}[2J'"] {
        bench.answered(Consent::Denied { reason: None }, text).await.unwrap_err();
    }
    assert_eq!(says.asked.lock().unwrap().len(), 0);
}
