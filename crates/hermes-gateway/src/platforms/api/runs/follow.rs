//! From the start of a run's turn to its end, whoever watches.

use std::sync::Arc;

use hermes_agent::{EndReason, TurnEnd};
use hermes_store::runs::{RunState, Runs};

use super::super::error::ApiError;
use super::super::state::{ApiState, Place};
use super::board::forget;
use super::create::detail;
use super::events::cut;
use super::live::LiveRun;
use super::run::{Detail, RunError, Status};
use crate::metrics::end_name;
use crate::{Attended, Ended, TurnFailure};

/// Bytes of an answer that are kept.
const LONGEST_OUTPUT: usize = 256 * 1024;

/// Follows a run and keeps its end. `place` is given back then.
pub(super) async fn follow(state: ApiState, run: Arc<LiveRun>, attended: Attended, place: Place) {
    let (status, known) = turn(&state, &run, attended).await;
    let (status, known) = keep(&state, &run, status, known).await;
    drop(place);
    run.ended(status, known);
    state.parts.board.over(&run);
}

/// Follows a turn of which nothing is kept but its session.
pub(in crate::platforms::api) async fn follow_passing(
    state: ApiState,
    run: Arc<LiveRun>,
    attended: Attended,
    place: Place,
) {
    let (status, known) = turn(&state, &run, attended).await;
    drop(place);
    run.ended(status, known);
}

/// What came of the turn; it is stopped when that is asked for.
async fn turn(state: &ApiState, run: &LiveRun, attended: Attended) -> (Status, Detail) {
    let Attended { cancellation, opened, ended, .. } = attended;
    let stopping = async {
        run.stop.cancelled().await;
        cancellation.cancel();
        std::future::pending::<()>().await;
    };
    let beginning = async {
        if let Ok(session) = opened.await {
            run.began(&session);
        }
        std::future::pending::<()>().await;
    };
    let (status, mut known) = tokio::select! {
        biased;
        () = stopping => unanswered(state),
        // Before the end: who is told of the end has been told of the beginning.
        () = beginning => unanswered(state),
        ended = ended => ended.map_or_else(|_| unanswered(state), outcome),
    };
    // A turn that was given up does not tell its session; that it began did.
    known.session = known.session.or_else(|| run.view().detail.session);
    (status, known)
}

/// Nobody will say anything any more.
fn unanswered(state: &ApiState) -> (Status, Detail) {
    let failure = if state.inbox.is_stopping() { TurnFailure::Stopping } else { TurnFailure::Crashed };
    outcome(Ended { session: None, model: None, end: Err(failure) })
}

/// What came of it.
fn outcome(ended: Ended) -> (Status, Detail) {
    let Ended { session, model, end } = ended;
    let mut detail = Detail { session: session.map(|id| id.to_string()), model, ..Detail::default() };
    let status = match end {
        Ok(end) => ended_well(&end, &mut detail),
        Err(failure) => {
            let error = ApiError::from(failure);
            detail.error = Some(RunError { code: error.code().to_owned(), message: error.message().to_owned() });
            Status::Failed
        }
    };
    (status, detail)
}

fn ended_well(end: &TurnEnd, detail: &mut Detail) -> Status {
    let (output, is_cut) = cut(&end.answer, LONGEST_OUTPUT);
    detail.output = Some(output.to_owned());
    detail.is_cut = is_cut;
    detail.usage = Some(end.usage);
    detail.end = Some(end_name(&end.reason).to_owned());
    let message = match &end.reason {
        EndReason::Answered | EndReason::MaxTurns => return Status::Completed,
        EndReason::Interrupted => return Status::Cancelled,
        EndReason::TimedOut => "the turn's time is up".to_owned(),
        EndReason::Stuck { tool } => format!("the same call to {tool} failed again and again"),
        EndReason::Empty => "the model said nothing".to_owned(),
        EndReason::Filtered => "the provider's content policy cut the answer off".to_owned(),
    };
    detail.error = Some(RunError { code: end_name(&end.reason).to_owned(), message });
    Status::Failed
}

/// Puts the end on disk before anybody is told of it. What cannot be kept did not succeed.
async fn keep(state: &ApiState, run: &LiveRun, status: Status, known: Detail) -> (Status, Detail) {
    let kept = match status {
        Status::Completed => RunState::Completed,
        Status::Cancelled => RunState::Cancelled,
        Status::Failed | Status::Queued | Status::Running | Status::WaitingForApproval => RunState::Failed,
    };
    let written = async {
        let (id, row) = (run.id.to_string(), detail(&known)?);
        state
            .in_store(move |store| {
                let runs = Runs::open(store);
                runs.end(&id, kept, &row)?;
                forget(&runs)
            })
            .await
    };
    match written.await {
        Ok(_) => (status, known),
        Err(error) => {
            let error = RunError { code: error.code().to_owned(), message: "the run's end cannot be kept".to_owned() };
            (Status::Failed, Detail { error: Some(error), ..known })
        }
    }
}
