//! When a turn has to stop, and that its permits end with it.

use std::future::pending;
use std::time::Instant;

use hermes_proto::turn::TurnContext;

use super::EndReason;

/// Ends the turn when it is dropped.
#[derive(Debug)]
pub(crate) struct Finishing<'a>(&'a TurnContext);

/// From here on the turn ends, whatever happens.
pub(crate) fn finishing(turn: &TurnContext) -> Finishing<'_> {
    Finishing(turn)
}

impl Drop for Finishing<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Why the turn has to stop now, if it has to.
pub(super) fn stopped(turn: &TurnContext) -> Option<EndReason> {
    if turn.cancellation().is_cancelled() {
        return Some(EndReason::Interrupted);
    }
    turn.deadline().filter(|deadline| *deadline <= Instant::now()).map(|_| EndReason::TimedOut)
}

/// Waits until the turn has to stop.
pub(crate) async fn stopping(turn: &TurnContext) -> EndReason {
    let deadline = async {
        match turn.deadline() {
            Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
            None => pending().await,
        }
    };
    tokio::select! {
        biased;
        () = turn.cancellation().cancelled() => EndReason::Interrupted,
        () = deadline => EndReason::TimedOut,
    }
}
