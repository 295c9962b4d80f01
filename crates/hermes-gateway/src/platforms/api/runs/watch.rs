//! `GET /v1/runs/{id}/events`: what happens, as it happens.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};

use super::super::error::ApiError;
use super::super::incoming::Caller;
use super::super::state::ApiState;
use super::events::{Event, LOST, lost};
use super::live::LiveRun;
use super::run::RunView;
use super::{Found, find};

const LAST_SEEN: &str = "last-event-id";
/// How often a silent stream says that it is still there.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

pub(super) async fn events(
    State(state): State<ApiState>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let found = find(&state, &caller, &id).await?;
    let seen = seen(&headers)?;
    match found {
        Found::Live(run) => {
            let place = run.watcher().ok_or_else(|| ApiError::crowded("too many watch this run already"))?;
            let events = stream! {
                let _place = place;
                let mut reader = Reader::new(run, seen);
                while let Some(event) = reader.next().await {
                    yield Ok::<_, Infallible>(event);
                }
            };
            Ok(Sse::new(events).keep_alive(sign_of_life()).into_response())
        }
        Found::Kept(view) => {
            let events = stream! {
                for event in remembered(&view) {
                    yield Ok::<_, Infallible>(event);
                }
            };
            Ok(Sse::new(events).into_response())
        }
    }
}

/// So that nobody between here and the caller takes silence for the end.
pub(in crate::platforms::api) fn sign_of_life() -> KeepAlive {
    KeepAlive::new().interval(SIGN_OF_LIFE)
}

fn seen(headers: &HeaderMap) -> Result<u64, ApiError> {
    let Some(value) = headers.get(LAST_SEEN) else { return Ok(0) };
    let number = value.to_str().ok().map(str::trim).and_then(|text| text.parse().ok());
    number.ok_or_else(|| ApiError::invalid("it has to be the id of an event").about("Last-Event-ID"))
}

/// One reader's place among the events of a run.
#[derive(Debug)]
pub(in crate::platforms::api) struct Reader {
    run: Arc<LiveRun>,
    seen: u64,
    waiting: std::vec::IntoIter<Event>,
}

impl Reader {
    /// A number that was never given out is one of an earlier process: everything is new.
    pub(in crate::platforms::api) fn new(run: Arc<LiveRun>, seen: u64) -> Self {
        let seen = if seen > run.news().borrow().newest { 0 } else { seen };
        Self { run, seen, waiting: Vec::new().into_iter() }
    }

    /// The next event; nothing when the run is over and all is told.
    pub(in crate::platforms::api) async fn next(&mut self) -> Option<SseEvent> {
        let mut news = self.run.news();
        loop {
            if let Some(event) = self.waiting.next() {
                self.seen = event.number;
                return Some(sse(&event));
            }
            // Before the events are looked at: what comes after this is seen in the next round.
            let is_over = news.borrow_and_update().is_over;
            let batch = self.run.after(self.seen);
            let is_empty = batch.events.is_empty();
            self.waiting = batch.events.into_iter();
            if batch.lost > 0 {
                self.seen += batch.lost;
                return Some(gap(self.run.id.as_str(), Some(batch.lost)));
            }
            if is_empty {
                if is_over {
                    return None;
                }
                news.changed().await.ok()?;
            }
        }
    }
}

fn sse(event: &Event) -> SseEvent {
    SseEvent::default().id(event.number.to_string()).event(event.kind).data(&*event.data)
}

fn gap(run: &str, count: Option<u64>) -> SseEvent {
    SseEvent::default().event(LOST).data(lost(run, count).to_string())
}

/// The events of a run that is only on disk are gone; its end is not.
fn remembered(view: &RunView) -> [SseEvent; 2] {
    let mut told = view.to_json();
    if let Some(told) = told.as_object_mut() {
        told.insert("event".to_owned(), view.last_event().into());
    }
    let end = SseEvent::default().event(view.last_event()).data(told.to_string());
    [gap(&view.id, None), end]
}
