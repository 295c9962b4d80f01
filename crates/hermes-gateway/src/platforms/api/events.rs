//! Answers as a stream of events.
//!
//! A turn that fails before it has said anything is an error with a status, as without streaming. So the head of the answer waits for the
//! first words, but not long: whatever stands between here and the caller may give up on an answer without a head.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use hermes_agent::SessionId;
use serde_json::Value;
use tokio::time::timeout;

use super::asking::Asking;
use super::error::ApiError;
use super::incoming::{Caller, tell_session};

/// How long the head waits.
const FIRST_WORDS: Duration = Duration::from_secs(5);
/// Between comments that keep a quiet stream open.
const KEPT_ALIVE: Duration = Duration::from_secs(15);

/// The events of a turn that has begun; the headers tell its session.
pub(super) async fn stream<S>(
    caller: &Caller,
    mut asking: Asking,
    events: impl FnOnce(Asking) -> S,
) -> Result<Response, ApiError>
where
    S: Stream<Item = Result<Event, Infallible>> + Send + 'static,
{
    if let Ok(begun) = timeout(FIRST_WORDS, asking.has_begun()).await {
        begun?;
    }
    // It was told before the first words; one that still waits in line has none yet.
    let session = timeout(Duration::ZERO, asking.session()).await.ok().flatten();
    let alive = KeepAlive::new().interval(KEPT_ALIVE);
    let mut response = Sse::new(events(asking)).keep_alive(alive).into_response();
    tell_session(response.headers_mut(), caller, session.as_ref().map(SessionId::as_str));
    Ok(response)
}

/// One event with data only.
#[expect(clippy::unnecessary_wraps, reason = "streams of a response are of results")]
pub(super) fn data(value: &Value) -> Result<Event, Infallible> {
    Ok(Event::default().data(value.to_string()))
}

/// One event with a name.
#[expect(clippy::unnecessary_wraps, reason = "streams of a response are of results")]
pub(super) fn named(name: &str, value: &Value) -> Result<Event, Infallible> {
    Ok(Event::default().event(name).data(value.to_string()))
}
