//! The whole script is judged once, before anything starts.

use std::sync::Arc;

use hermes_agent::{ToolOutcome, ToolReply};
use hermes_approval::{Authorised, Broker, Review, Yolo};
use hermes_home::config::{ApprovalMode, UnattendedMode};
use hermes_proto::consent::{ActionKind, Approver, Consent, NobodyToAsk, Scope};
use hermes_proto::turn::Surface;

use super::super::ground::{Ground, Made, interactive, turn};
use super::super::people::{Chat, Reviews, Scripted};
use super::{execute, output, status};
use crate::docker::place_with_python;

const KEY: &str = "agent:main:telegram:dm:7";
const PRINTS: &str = "print('ran')";

#[track_caller]
fn assert_ran(reply: &ToolReply) {
    assert_eq!((reply.outcome, status(reply), output(reply)), (ToolOutcome::Done, "success", "ran\n"), "{reply:?}");
}

#[track_caller]
fn assert_refused(ground: &Ground, reply: &ToolReply, outcome: &str) {
    assert_eq!((reply.outcome, status(reply)), (ToolOutcome::Refused, "error"), "{reply:?}");
    assert_eq!(reply.content["outcome"], outcome, "{reply:?}");
    assert_eq!(reply.content["user_consent"], false);
    assert_eq!(
        (reply.content["tool_calls_made"].as_u64(), reply.content["duration_seconds"].as_u64()),
        (Some(0), Some(0))
    );
    assert!(reply.content["error"].as_str().unwrap().contains("was not run"), "{reply:?}");
    assert_eq!(ground.starts(ActionKind::Script), 0);
}

async fn check(made: Made, surface: Surface, approver: Arc<dyn Approver>, refused: Option<&str>) {
    let ground = Ground::of(made);
    let reply = execute(&ground, &turn(surface, approver, KEY), PRINTS).await;
    match refused {
        None => assert_ran(&reply),
        Some(outcome) => assert_refused(&ground, &reply, outcome),
    }
    ground.workshop.close().await;
}

#[tokio::test]
async fn isolated_backend() {
    let place = place_with_python();
    let made = Made { container: Some(place.settings("isolated")), ..Made::with(|_| ()) };
    check(made, Surface::Gateway, Arc::new(NobodyToAsk), None).await;
}

/// Unlike the original, nobody's presence is not consent; one can say otherwise.
#[tokio::test]
async fn headless_local() {
    let nobody = || Arc::new(NobodyToAsk);
    check(Made::with(|_| ()), Surface::Headless, nobody(), Some("blocked")).await;
    let made = Made::with(|config| config.approvals.headless_mode = UnattendedMode::Approve);
    check(made, Surface::Headless, nobody(), None).await;
}

#[tokio::test]
async fn cron_deny() {
    // Even somebody who would say yes is not asked.
    let person = Scripted::approving(1);
    check(Made::with(|_| ()), Surface::Cron, person.clone(), Some("blocked")).await;
    assert_eq!(person.asked(), []);
    let made = Made::with(|config| config.approvals.cron_mode = UnattendedMode::Approve);
    check(made, Surface::Cron, Arc::new(NobodyToAsk), None).await;
}

#[tokio::test]
async fn single_query_and_unattended_deny() {
    for surface in [Surface::SingleQuery, Surface::Unattended] {
        check(Made::with(|_| ()), surface, Arc::new(NobodyToAsk), Some("blocked")).await;
    }
}

/// Somebody at the terminal sees what happens; the script's commands are asked about one by one.
#[tokio::test]
async fn interactive_cli() {
    let ground = Ground::new();
    let person = Scripted::new([]);
    assert_ran(&execute(&ground, &interactive(person.clone()), PRINTS).await);
    assert_eq!(person.asked(), []);
    ground.workshop.close().await;
}

#[tokio::test]
async fn gateway_approve() {
    let person = Scripted::approving(1);
    check(Made::with(|_| ()), Surface::Gateway, person.clone(), None).await;
    let [asked] = person.asked().try_into().unwrap();
    assert_eq!((asked.kind, asked.action.as_str()), (ActionKind::Script, PRINTS));
}

#[tokio::test]
async fn gateway_deny() {
    check(Made::with(|_| ()), Surface::Gateway, Scripted::denying(), Some("denied")).await;
}

#[tokio::test]
async fn gateway_timeout() {
    let made = Made::with(|config| config.approvals.gateway_timeout = 1);
    check(made, Surface::Gateway, Scripted::new([]), Some("timeout")).await;
}

#[tokio::test]
async fn gateway_missing_notify() {
    check(Made::with(|_| ()), Surface::Gateway, Arc::new(NobodyToAsk), Some("notify_failed")).await;
    let ground = Ground::new();
    let broker = Broker::new(ground.journal.clone());
    let approver = broker.approver(KEY.parse().unwrap(), Chat::broken(), Authorised::Everybody);
    let reply = execute(&ground, &turn(Surface::Gateway, approver, KEY), PRINTS).await;
    assert_refused(&ground, &reply, "notify_failed");
    ground.workshop.close().await;
}

#[tokio::test]
async fn smart_mode() {
    let smart = |review| {
        let made = Made::with(|config| config.approvals.mode = ApprovalMode::Smart);
        Made { reviewer: Some(Arc::new(Reviews(review))), ..made }
    };
    let person = Scripted::new([]);
    check(smart(Review::Approve), Surface::Gateway, person.clone(), None).await;
    assert_eq!(person.asked(), [], "the model has approved");
    let person = Scripted::denying();
    let refuses = || Review::Deny { reason: Some("it prints".to_owned()) };
    check(smart(refuses()), Surface::Gateway, person.clone(), Some("denied")).await;
    let [asked] = person.asked().try_into().unwrap();
    assert!(asked.findings.iter().any(|finding| finding.reason.contains("it prints")), "{asked:?}");
    let person = Scripted::approving(1);
    check(smart(Review::Escalate), Surface::Gateway, person.clone(), None).await;
    assert_eq!(person.asked().len(), 1);
    // A model alone does not decide where a person should.
    check(smart(Review::Approve), Surface::Gateway, Arc::new(NobodyToAsk), Some("notify_failed")).await;
}

#[tokio::test]
async fn session_yolo() {
    let ground = Ground::new();
    ground.guard.set_yolo(&KEY.parse().unwrap(), Yolo::On);
    let nobody = || Arc::new(NobodyToAsk);
    assert_ran(&execute(&ground, &turn(Surface::Gateway, nobody(), KEY), PRINTS).await);
    let started = ground.starts(ActionKind::Script);
    let other = turn(Surface::Gateway, nobody(), "agent:main:telegram:dm:8");
    let reply = execute(&ground, &other, PRINTS).await;
    assert_eq!(reply.content["outcome"], "notify_failed", "another chat's yolo: {reply:?}");
    assert_eq!(ground.starts(ActionKind::Script), started);
    ground.workshop.close().await;
}

#[tokio::test]
async fn mode_off() {
    let made = Made::with(|config| config.approvals.mode = ApprovalMode::Off);
    check(made, Surface::Gateway, Arc::new(NobodyToAsk), None).await;
}

/// The next script does something else, so each is asked about.
#[tokio::test]
async fn once_session_and_always_store_nothing() {
    let ground = Ground::new();
    for scope in Scope::ALL {
        let person = Scripted::new([Consent::Approved(scope)]);
        assert_ran(&execute(&ground, &turn(Surface::Gateway, person.clone(), KEY), PRINTS).await);
        let [asked] = person.asked().try_into().unwrap();
        assert_eq!(asked.offers.iter().map(|offer| offer.scope).collect::<Vec<_>>(), [Scope::Once]);
    }
    let person = Scripted::denying();
    let reply = execute(&ground, &turn(Surface::Gateway, person.clone(), KEY), PRINTS).await;
    assert_eq!(reply.content["outcome"], "denied", "the same script again is asked about again: {reply:?}");
    ground.workshop.close().await;
}
