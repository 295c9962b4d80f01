//! A permit is for one action, in one place, in one turn, once.

use hermes_approval::{Moment, PermitError, PlaceId};
use hermes_proto::turn::Surface;

use crate::support::{Bench, Scripted, turn};

#[tokio::test]
async fn it_is_worth_nothing_elsewhere() {
    let bench = Bench::manual();
    let (here, other) =
        (turn(Surface::Interactive, &Scripted::says([])), turn(Surface::Interactive, &Scripted::says([])));
    let permit = || bench.permit(&here, "ls");
    let (action, ticket) = permit().await.unwrap().redeem(&here, bench.place.id).unwrap();
    assert_eq!(action.text, "ls");
    ticket.ended("exit 0");
    let elsewhere = permit().await.unwrap().redeem(&here, PlaceId::unique());
    assert!(matches!(elsewhere.unwrap_err(), PermitError::OtherPlace));
    let in_another_turn = permit().await.unwrap().redeem(&other, bench.place.id);
    assert!(matches!(in_another_turn.unwrap_err(), PermitError::OtherTurn));
    let late = permit().await.unwrap();
    here.finish();
    assert!(matches!(late.redeem(&here, bench.place.id).unwrap_err(), PermitError::TurnOver));
    let started = bench.journal.entries().iter().filter(|entry| entry.moment == Moment::Started).count();
    assert_eq!(started, 1, "what was not started is not recorded as started");
}

/// Permits are handed between tasks.
#[test]
fn asking_for_one_can_happen_on_any_thread() {
    fn is_send<T: Send>(_: &T) {}
    let bench = Bench::manual();
    let turn = turn(Surface::Interactive, &Scripted::says([]));
    is_send(&bench.permit(&turn, "ls"));
}
