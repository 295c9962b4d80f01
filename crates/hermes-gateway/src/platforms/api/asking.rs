//! A turn that a caller waits for.
//!
//! It lives as long as the request: a caller who goes away stops it, and what it has started ends with it.

use std::sync::Arc;

use hermes_agent::{EndReason, SessionId, TurnEnd};
use tokio::sync::oneshot;
use tokio_util::sync::DropGuard;

use super::error::ApiError;
use super::feed::{Feed, Seen};
use super::state::{ApiState, Place};
use crate::{Attended, Ended, Incoming, TurnFailure};

/// A turn under way. Dropping it stops the turn.
#[derive(Debug)]
pub(super) struct Asking {
    feed: Arc<Feed>,
    opened: oneshot::Receiver<SessionId>,
    ended: oneshot::Receiver<Ended>,
    /// What came of it, until it was told.
    over: Option<Result<Answered, ApiError>>,
    state: ApiState,
    _running: DropGuard,
    _place: Place,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) session: Option<SessionId>,
    pub(super) end: TurnEnd,
}

/// What happens next in a turn.
#[derive(Debug)]
pub(super) enum Next {
    Seen(Seen),
    /// Nothing comes after it.
    Ended(Box<Result<Answered, ApiError>>),
}

impl Asking {
    /// Begins a turn. The place is the caller's among those that run at once.
    pub(super) async fn begin(state: &ApiState, place: Place, incoming: Incoming) -> Result<Self, ApiError> {
        let feed = Arc::new(Feed::default());
        let Attended { cancellation, opened, ended, .. } = state.inbox.attend(incoming, feed.clone()).await?;
        let running = cancellation.drop_guard();
        Ok(Self { feed, opened, ended, over: None, state: state.clone(), _running: running, _place: place })
    }

    /// The session, once it is open; nothing if the turn failed before.
    pub(super) async fn session(&mut self) -> Option<SessionId> {
        (&mut self.opened).await.ok()
    }

    /// Ends when there is something to tell. An error if the turn failed before it said anything.
    pub(super) async fn has_begun(&mut self) -> Result<(), ApiError> {
        self.wait().await;
        match &self.over {
            Some(Err(error)) if !self.feed.has_more() => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// The next thing that happens.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            if let Some(seen) = self.feed.take() {
                return Next::Seen(seen);
            }
            if let Some(outcome) = self.over.take() {
                return Next::Ended(Box::new(outcome));
            }
            self.wait().await;
        }
    }

    /// Waits until something is seen or it is over. Its last words may come at the same moment as its end.
    async fn wait(&mut self) {
        if self.over.is_some() {
            return;
        }
        let ended = tokio::select! {
            () = self.feed.is_begun() => return,
            () = self.feed.overflow.cancelled() => Err(ApiError::too_slow()),
            ended = &mut self.ended => Ok(ended.ok()),
        };
        self.over = Some(ended.and_then(|ended| self.outcome(ended)));
    }

    /// The end, whatever happens before.
    pub(super) async fn answer(mut self) -> Result<Answered, ApiError> {
        loop {
            if let Next::Ended(outcome) = self.next().await {
                return *outcome;
            }
        }
    }

    fn outcome(&self, ended: Option<Ended>) -> Result<Answered, ApiError> {
        match ended {
            Some(Ended { session, end: Ok(end), .. }) => Ok(Answered { session, end }),
            Some(Ended { end: Err(failure), .. }) => Err(failure.into()),
            // Nobody will say anything any more.
            None if self.state.inbox.is_stopping() => Err(ApiError::stopping()),
            None => Err(TurnFailure::Crashed.into()),
        }
    }
}

impl Answered {
    /// What is told as the answer: what the model said last, or why it said nothing.
    pub(super) fn text(&self) -> String {
        if !self.end.answer.trim().is_empty() {
            return self.end.answer.clone();
        }
        self.remark().unwrap_or_default().to_owned()
    }

    /// What is left to say at the end of a stream.
    pub(super) fn unsaid(&self, has_spoken: bool) -> Option<String> {
        if has_spoken { self.remark().map(|remark| format!("\n\n{remark}")) } else { Some(self.text()) }
    }

    /// What a caller should know about an end that is none of the usual.
    fn remark(&self) -> Option<&'static str> {
        match &self.end.reason {
            EndReason::Answered => None,
            EndReason::MaxTurns => Some("(stopped: the turn used up its rounds before it was done)"),
            EndReason::Interrupted => Some("(stopped)"),
            EndReason::TimedOut => Some("(stopped: the turn's time is up)"),
            EndReason::Stuck { .. } => Some("(stopped: the same call failed again and again)"),
            EndReason::Empty => Some("(the model said nothing)"),
            EndReason::Filtered => Some("(the provider's content policy cut the answer off)"),
        }
    }

    /// As OpenAI calls it.
    pub(super) fn finish_reason(&self) -> &'static str {
        match &self.end.reason {
            EndReason::Answered | EndReason::Interrupted | EndReason::Stuck { .. } | EndReason::Empty => "stop",
            EndReason::MaxTurns | EndReason::TimedOut => "length",
            EndReason::Filtered => "content_filter",
        }
    }
}
