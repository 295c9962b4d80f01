//! Whole scripts of `execute_code`: asked about because they are scripts, whatever they say.

use std::borrow::Cow;

use hermes_approval::{Action, Judged, Outcome, Permit, Refusal, Yolo};
use hermes_policy::Isolation;
use hermes_proto::consent::{ActionKind, Consent, Scope};
use hermes_proto::turn::{Surface, TurnContext};

use crate::support::{Bench, Scripted, key, place, turn};

#[derive(Debug)]
struct Script(&'static str);

impl Action for Script {
    fn kind(&self) -> ActionKind {
        ActionKind::Script
    }

    fn shown(&self) -> Cow<'_, str> {
        self.0.into()
    }

    fn judged(&self) -> Judged<'_> {
        Judged::Script { code: self.0 }
    }
}

const CODE: &str = "print('hello')\n";

async fn permit(bench: &Bench, turn: &TurnContext) -> Result<Permit<Script>, Refusal> {
    bench.guard.permit(turn, &bench.place, Script(CODE)).await
}

#[tokio::test]
async fn a_chat_is_asked_once_for_each_and_nothing_is_remembered() {
    let bench = Bench::manual();
    let approver = Scripted::says([Consent::Approved(Scope::Always), Consent::Denied { reason: None }]);
    let turn = turn(Surface::Gateway, &approver);
    drop(permit(&bench, &turn).await.unwrap());
    let refusal = permit(&bench, &turn).await.unwrap_err();
    assert_eq!((refusal.outcome(), refusal.rule.as_deref()), (Outcome::Denied, Some("execute_code")));
    let asked = &approver.asked()[0];
    assert_eq!((asked.kind, &*asked.action, &*asked.findings[0].key), (ActionKind::Script, CODE, "execute_code"));
    assert_eq!(asked.offers.iter().map(|offer| offer.scope).collect::<Vec<_>>(), [Scope::Once]);
    assert!(bench.guard.session_grants(&key("one")).grants().is_empty());
    let decided = &bench.journal.lines()[1];
    assert_eq!(decided, "decided true approved once by person gateway|here|print('hello')\n|ask|execute_code");
}

#[tokio::test]
async fn the_matrix_of_the_original_with_the_safer_choice() {
    let mut bench = Bench::manual();
    let on = |surface| turn(surface, &Scripted::says([]));
    drop(permit(&bench, &on(Surface::Interactive)).await.unwrap());
    for surface in [Surface::Cron, Surface::SingleQuery, Surface::Unattended, Surface::Headless] {
        assert_eq!(permit(&bench, &on(surface)).await.unwrap_err().outcome(), Outcome::Blocked, "{surface:?}");
    }
    bench.guard.set_yolo(&key("one"), Yolo::On);
    drop(permit(&bench, &on(Surface::Gateway)).await.unwrap());
    bench.guard.set_yolo(&key("one"), Yolo::Off);
    bench.place = place(Isolation::Container);
    drop(permit(&bench, &on(Surface::Gateway)).await.unwrap());
    let denying = Bench::configured("approvals: {deny: ['python3*']}\n");
    assert_eq!(permit(&denying, &on(Surface::Interactive)).await.unwrap_err().outcome(), Outcome::Blocked);
}
