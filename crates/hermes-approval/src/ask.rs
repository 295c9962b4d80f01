//! Asking about one action: a model where it is to look first, then the person of this turn.

use std::time::{Duration, Instant};

use hermes_policy::allow_list::{Grant, narrowest};
use hermes_policy::decide::First;
use hermes_policy::{Findings, FoundBy};
use hermes_proto::consent::{ActionKind, Consent, ConsentRequest, Finding, Offer, Scope};
use hermes_proto::session::SessionKey;
use hermes_proto::turn::TurnContext;

use crate::case::Allowance;
use crate::guard::Guard;
use crate::place::Place;
use crate::refusal::Cause;
use crate::reviewer::{Review, ReviewRequest};

/// The longest that a review may take.
const REVIEW_PATIENCE: Duration = Duration::from_secs(60);
/// What an approver has left to say that its own time is over.
const GRACE: Duration = Duration::from_secs(1);
/// The key of a whole script.
pub(crate) const SCRIPT: &str = "execute_code";
/// The key of a review that spoke against it.
const REVIEW: &str = "review";

/// What is asked about.
pub(crate) struct Question<'a> {
    pub(crate) request: &'a str,
    pub(crate) kind: ActionKind,
    pub(crate) action: &'a str,
    pub(crate) findings: &'a Findings,
    pub(crate) is_script: bool,
    pub(crate) session: Option<&'a SessionKey>,
}

/// What was granted beyond this one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Granted {
    scope: Scope,
    grant: Grant,
}

/// Asks; anything but an approval is the cause of a refusal.
pub(crate) async fn ask(
    guard: &Guard,
    turn: &TurnContext,
    place: &Place,
    question: &Question<'_>,
    first: First,
) -> Result<Allowance, Cause> {
    let grant = grantable(question);
    let mut request = request(guard, turn, place, question, grant.as_ref());
    match first {
        First::Person => {}
        First::ReviewerThenPerson => match review(guard, turn, &request).await {
            Review::Approve => return Ok(approved("approved once", "reviewer", None)),
            Review::Escalate => {}
            Review::Deny { reason } => {
                let reason = match reason {
                    Some(reason) => format!("the reviewing model would refuse it: {reason}"),
                    None => "the reviewing model would refuse it".to_owned(),
                };
                request.findings.push(Finding { key: REVIEW.to_owned(), reason, about: String::new() });
                request.offers.retain(|offer| offer.scope == Scope::Once);
            }
        },
    }
    match put(turn, &request).await {
        Consent::Approved(scope) => Ok(answered(scope, &request.offers, grant)),
        Consent::Denied { reason } => Err(Cause::Denied { reason }),
        Consent::TimedOut => Err(Cause::TimedOut { after: request.patience }),
        Consent::Cancelled => Err(Cause::Cancelled),
        Consent::Undeliverable => Err(Cause::Undeliverable),
    }
}

/// Remembers what was granted. What cannot be written holds for the session all the same: the person has said so.
pub(crate) async fn remember(guard: &Guard, session: Option<&SessionKey>, granted: Granted) {
    let Granted { scope, grant } = granted;
    if let Some(session) = session {
        guard.sessions().change(session, |held| held.grants.allow(grant.clone()));
    }
    if scope < Scope::Always {
        return;
    }
    let permanent = guard.permanent().clone();
    let written = tokio::task::spawn_blocking(move || permanent.add(&grant)).await;
    let problem = match written {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(stopped) => stopped.to_string(),
    };
    tracing::error!(problem, "an approval could not be kept for good");
    guard.note(format!("the approval holds for this session only: {problem}"));
}

/// What "session" and "always" would store. Nothing for a script: the next one does something else.
fn grantable(question: &Question<'_>) -> Option<Grant> {
    if question.is_script { None } else { narrowest(question.findings) }
}

fn request(
    guard: &Guard,
    turn: &TurnContext,
    place: &Place,
    question: &Question<'_>,
    grant: Option<&Grant>,
) -> ConsentRequest {
    let patience = guard.settings().patience_on(turn.surface());
    let left = turn.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
    ConsentRequest {
        request: question.request.to_owned(),
        kind: question.kind,
        action: question.action.to_owned(),
        place: place.to_string(),
        findings: findings(question),
        offers: offers(guard, question, grant),
        patience: left.map_or(patience, |left| left.min(patience)),
    }
}

fn findings(question: &Question<'_>) -> Vec<Finding> {
    if question.is_script {
        let reason = "a script can do anything; the tools it calls are asked about one by one as well".to_owned();
        return vec![Finding { key: SCRIPT.to_owned(), reason, about: String::new() }];
    }
    let finding = |found: &hermes_policy::Found| Finding {
        key: found.key.to_string(),
        reason: found.reason.to_string(),
        about: found.about.clone(),
    };
    question.findings.found().iter().map(finding).collect()
}

/// The narrowest first. What is offered is what is stored: both come from the same grant.
fn offers(guard: &Guard, question: &Question<'_>, grant: Option<&Grant>) -> Vec<Offer> {
    let mut offers = vec![Offer { scope: Scope::Once, allows: "this, now".to_owned() }];
    let Some(grant) = grant else { return offers };
    let allows = grant.allows();
    if question.session.is_some() {
        offers.push(Offer { scope: Scope::Session, allows: format!("in this session: {allows}") });
    }
    let is_scanned = question.findings.found().iter().any(|found| found.by == FoundBy::Scanner);
    if !is_scanned && guard.permanent().is_somewhere() {
        offers.push(Offer { scope: Scope::Always, allows: format!("for good: {allows}") });
    }
    offers
}

async fn review(guard: &Guard, turn: &TurnContext, request: &ConsentRequest) -> Review {
    let Some(reviewer) = guard.reviewer() else { return Review::Escalate };
    let review = ReviewRequest {
        command: request.action.clone(),
        place: request.place.clone(),
        findings: request.findings.clone(),
        policy_text: guard.settings().smart_policy.clone(),
    };
    if review.prompt().is_none() {
        return Review::Escalate;
    }
    tokio::select! {
        biased;
        () = turn.cancellation().cancelled() => Review::Escalate,
        review = reviewer.review(&review) => review,
        () = tokio::time::sleep(REVIEW_PATIENCE) => Review::Escalate,
    }
}

/// Puts the question to the person of this turn. An approver that forgets its own time is not waited for.
async fn put(turn: &TurnContext, request: &ConsentRequest) -> Consent {
    tokio::select! {
        biased;
        () = turn.cancellation().cancelled() => Consent::Cancelled,
        consent = turn.approver().ask(request) => consent,
        () = tokio::time::sleep(request.patience.saturating_add(GRACE)) => Consent::TimedOut,
    }
}

fn answered(scope: Scope, offers: &[Offer], grant: Option<Grant>) -> Allowance {
    // Never more than was shown, whatever the approver says.
    let scope = offers.iter().map(|offer| offer.scope).filter(|offered| *offered <= scope).max().unwrap_or(Scope::Once);
    let granted = match scope {
        Scope::Once => None,
        Scope::Session | Scope::Always => grant.map(|grant| Granted { scope, grant }),
    };
    approved(&format!("approved {}", scope.name()), "person", granted)
}

fn approved(outcome: &str, by: &str, grant: Option<Granted>) -> Allowance {
    Allowance { outcome: outcome.to_owned(), by: by.to_owned(), grant, is_consent: true }
}
