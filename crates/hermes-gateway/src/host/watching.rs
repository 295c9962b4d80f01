//! What a chat sees of a running turn, and the questions it is asked.
//!
//! The turn must not wait for a slow platform: only the newest of what could be shown is kept, and shown when the one before it has arrived.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_agent::{Observer, TurnEvent};
use hermes_approval::{Notice, Notifier, PendingNotice, PromptId, Style, Undelivered, render};
use hermes_proto::consent::Consent;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::activity::Activity;
use super::task::TaskRoute;
use crate::files::without_mentions;
use crate::{Adapter, Edits, Identifier, Progress, Question, Showing};

/// Platforms show for some seconds that work goes on; it is shown again for as long as it does.
const TYPING: Duration = Duration::from_secs(4);
/// Questions whose end waits to be shown.
const MOST_CLOSED: usize = 64;

/// Watches one turn for its chat.
#[derive(Debug)]
pub(crate) struct Watching {
    activity: Arc<Activity>,
    /// Somebody who watches for themselves.
    caller: Option<Arc<dyn Observer>>,
    draws_drafts: bool,
    canvas: Mutex<Canvas>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Canvas {
    /// The newest thing to show.
    next: Option<Progress>,
    closed: Vec<(PromptId, Consent)>,
    /// What the model has said since it was asked last.
    text: String,
}

impl Watching {
    pub(crate) fn new(
        activity: Arc<Activity>,
        caller: Option<Arc<dyn Observer>>,
        adapter: Option<&Arc<dyn Adapter>>,
        is_streaming: bool,
    ) -> Self {
        let can_edit = adapter.is_some_and(|adapter| adapter.capabilities().edits != Edits::None);
        let draws_drafts = is_streaming && can_edit;
        Self { activity, caller, draws_drafts, canvas: Mutex::default(), changed: Notify::new() }
    }

    /// Shows what there is to show, for as long as it is polled.
    pub(crate) async fn show(&self, adapter: &dyn Adapter, showing: &Showing) {
        loop {
            let changed = self.changed.notified();
            let progress = match self.take() {
                Some(progress) => progress,
                None => match timeout(TYPING, changed).await {
                    Ok(()) => continue,
                    Err(_) => Progress::Typing,
                },
            };
            if let Err(error) = adapter.show(showing, &progress).await {
                tracing::debug!(%error, "progress was not shown");
            }
        }
    }

    pub(crate) fn progress(&self, progress: Progress) {
        self.canvas().next = Some(progress);
        self.changed.notify_one();
    }

    fn take(&self) -> Option<Progress> {
        let mut canvas = self.canvas();
        if let Some((id, outcome)) = canvas.closed.pop() {
            return Some(Progress::QuestionClosed { id, outcome });
        }
        canvas.next.take()
    }

    fn canvas(&self) -> MutexGuard<'_, Canvas> {
        self.canvas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, delta: &str) {
        if self.draws_drafts {
            let mut canvas = self.canvas();
            canvas.text.push_str(delta);
            canvas.next = Some(Progress::Draft { text: without_mentions(&canvas.text) });
            drop(canvas);
            self.changed.notify_one();
        }
    }
}

impl Observer for Watching {
    fn saw(&self, event: TurnEvent) {
        self.activity.alive();
        match &event {
            TurnEvent::Thinking { .. } | TurnEvent::Restarted { .. } => {
                self.canvas().text.clear();
                self.progress(Progress::Typing);
            }
            TurnEvent::Text { delta } => self.draw(delta),
            TurnEvent::ToolStarted { tool, preview, .. } => {
                self.progress(Progress::Tool { line: format!("{tool}: {}", one_line(preview)) });
            }
            TurnEvent::Reasoning { .. }
            | TurnEvent::ToolOutput { .. }
            | TurnEvent::ToolFinished { .. }
            | TurnEvent::Compressed { .. }
            | TurnEvent::Used { .. }
            | TurnEvent::Notice { .. } => {}
        }
        if let Some(caller) = &self.caller {
            caller.saw(event);
        }
    }
}

/// A preview for a line of progress.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 120;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    if line.chars().count() < text.chars().count() { format!("{line}…") } else { line }
}

/// Brings the questions of one turn to its chat.
#[derive(Debug)]
pub(crate) struct ChatNotifier {
    pub(crate) adapter: Arc<dyn Adapter>,
    pub(crate) route: TaskRoute,
    pub(crate) watching: Arc<Watching>,
    pub(crate) people: Vec<Identifier>,
}

impl Notifier for ChatNotifier {
    fn notify<'a>(&'a self, notice: &'a Notice) -> PendingNotice<'a> {
        self.watching.activity.alive();
        Box::pin(async move {
            let text = format!(
                "{}\n/approve {id} [session|always] · /deny {id} [reason]",
                render(&notice.request, Style::CHAT),
                id = notice.id
            );
            let question = Question {
                id: notice.id.clone(),
                to: self.route.incoming.chat.address.clone(),
                session: notice.session.clone(),
                reply_to: Some(self.route.incoming.message.clone()),
                text,
                request: notice.request.clone(),
                people: self.people.clone(),
                remaining: notice.remaining,
            };
            self.adapter.ask(&question).await.map_err(|error| Undelivered(error.to_string()))
        })
    }

    fn withdraw(&self, id: &PromptId, outcome: &Consent) {
        if self.route.number.is_none() {
            return self.adapter.closed(id, outcome);
        }
        let mut canvas = self.watching.canvas();
        if canvas.closed.len() < MOST_CLOSED {
            canvas.closed.push((id.clone(), outcome.clone()));
        }
        drop(canvas);
        self.watching.changed.notify_one();
    }

    fn alive(&self, _id: &PromptId) {
        self.watching.activity.alive();
    }
}
