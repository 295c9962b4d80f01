//! What a chat is told about the end of a turn. Nothing in it names a path or a secret of this machine.

use hermes_agent::{EndReason, TurnEnd};

use super::mailbox::StopCause;
use super::turn::Outcome;
use crate::TurnFailure;
use crate::delivery::Body;

/// One reply or one notice.
pub(crate) fn report(outcome: &Outcome, cause: Option<StopCause>) -> Body {
    match outcome {
        Outcome::Said(text) => Body::Notice(text.clone()),
        Outcome::Turn(ended) | Outcome::Answered { ended, .. } => match &ended.end {
            Ok(end) => of_end(end, cause),
            Err(failure) => Body::Notice(of_failure(failure)),
        },
    }
}

fn of_end(end: &TurnEnd, cause: Option<StopCause>) -> Body {
    let answer = end.answer.trim();
    let with = |remark: &str| {
        let text = if answer.is_empty() { remark.to_owned() } else { format!("{answer}\n\n{remark}") };
        Body::Notice(text)
    };
    match &end.reason {
        EndReason::Answered | EndReason::MaxTurns if !answer.is_empty() => Body::Reply(answer.to_owned()),
        EndReason::Answered | EndReason::Empty => with("the model said nothing"),
        EndReason::MaxTurns => with("stopped: the turn used up its rounds before it was done"),
        EndReason::Interrupted => with(match cause {
            Some(StopCause::NewerMessage) => "(stopped: a newer message came)",
            Some(StopCause::Shutdown) => "(stopped: the gateway is stopping)",
            Some(StopCause::Asked) | None => "(stopped)",
        }),
        EndReason::TimedOut => with("stopped: the turn's time is up"),
        EndReason::Stuck { tool } => with(&format!("stopped: the same call to {tool} failed again and again")),
        EndReason::Filtered => with("the provider's content policy cut the answer off"),
    }
}

/// In words for the chat.
pub(crate) fn of_failure(failure: &TurnFailure) -> String {
    match failure {
        TurnFailure::Failed { message, .. } => format!("that did not work: {message}"),
        TurnFailure::Stalled => "stopped: nothing happened for too long".to_owned(),
        TurnFailure::Crashed => "that failed unexpectedly; the conversation goes on with your next message".to_owned(),
        TurnFailure::Stopping => {
            "the gateway was stopped while it worked on this; send /retry to have it tried again".to_owned()
        }
    }
}

/// For a message whose work a gateway that died had begun.
pub(crate) const INTERRUPTED: &str =
    "the gateway died while it worked on this. What was done so far is kept; send /retry to have it tried again";
