//! What a running turn says, on its way to one caller.
//!
//! The turn must not wait for a slow reader, and a slow reader must not make the gateway grow: text that waits is put together,
//! and a turn whose caller leaves too much unread is stopped.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_agent::{Observer, ToolOutcome, TurnEvent};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Bytes that may wait.
const MOST_UNREAD: usize = 4 * 1024 * 1024;
/// What stands between what a model said before and after it used tools.
const BETWEEN: &str = "\n\n";

/// Something for the caller.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Seen {
    /// A piece of the answer.
    Text(String),
    /// What a tool does, as the event `hermes.tool.progress` has it.
    Tool(Value),
}

/// Watches one turn for one caller.
#[derive(Debug, Default)]
pub(super) struct Feed {
    waiting: Mutex<Waiting>,
    changed: Notify,
    /// Cancelled when the caller is too slow.
    pub(super) overflow: CancellationToken,
}

#[derive(Debug, Default)]
struct Waiting {
    seen: VecDeque<Seen>,
    bytes: usize,
    /// Something was said, and the next words are of another answer.
    is_paused: bool,
    has_spoken: bool,
}

impl Feed {
    /// What waits, if anything does.
    pub(super) fn take(&self) -> Option<Seen> {
        let mut waiting = self.waiting();
        let seen = waiting.seen.pop_front()?;
        waiting.bytes = waiting.bytes.saturating_sub(size(&seen));
        Some(seen)
    }

    /// Ends when there is something.
    pub(super) async fn is_begun(&self) {
        loop {
            let changed = self.changed.notified();
            if self.has_more() {
                return;
            }
            changed.await;
        }
    }

    pub(super) fn has_more(&self) -> bool {
        !self.waiting().seen.is_empty()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, delta: &str) {
        let mut waiting = self.waiting();
        let pause = if std::mem::take(&mut waiting.is_paused) { BETWEEN } else { "" };
        waiting.has_spoken = true;
        waiting.bytes += pause.len() + delta.len();
        match waiting.seen.back_mut() {
            Some(Seen::Text(text)) => {
                text.push_str(pause);
                text.push_str(delta);
            }
            _ => waiting.seen.push_back(Seen::Text(format!("{pause}{delta}"))),
        }
        self.told(waiting);
    }

    fn tool(&self, progress: Value) {
        let mut waiting = self.waiting();
        let seen = Seen::Tool(progress);
        waiting.bytes += size(&seen);
        waiting.seen.push_back(seen);
        self.told(waiting);
    }

    fn told(&self, waiting: MutexGuard<'_, Waiting>) {
        let is_too_much = waiting.bytes > MOST_UNREAD;
        drop(waiting);
        if is_too_much {
            self.overflow.cancel();
        }
        self.changed.notify_one();
    }
}

fn size(seen: &Seen) -> usize {
    match seen {
        Seen::Text(text) => text.len(),
        Seen::Tool(progress) => progress["label"].as_str().map_or(0, str::len) + 256,
    }
}

impl Observer for Feed {
    fn saw(&self, event: TurnEvent) {
        match event {
            TurnEvent::Text { delta } => self.say(&delta),
            // What was sent cannot be taken back: what comes instead is set off from it.
            TurnEvent::Thinking { .. } | TurnEvent::Restarted { .. } => {
                let mut waiting = self.waiting();
                waiting.is_paused = waiting.has_spoken;
            }
            TurnEvent::ToolStarted { call, tool, preview } => {
                self.tool(json!({"tool": tool, "label": preview, "toolCallId": call, "status": "running"}));
            }
            TurnEvent::ToolFinished { call, tool, outcome, summary, duration, .. } => {
                let status = match outcome {
                    ToolOutcome::Done => "completed",
                    ToolOutcome::Failed => "failed",
                    ToolOutcome::Refused => "refused",
                    ToolOutcome::Interrupted => "interrupted",
                };
                let seconds = duration.as_secs_f64();
                self.tool(json!({
                    "tool": tool, "label": summary, "toolCallId": call, "status": status, "seconds": seconds,
                }));
            }
            TurnEvent::Reasoning { .. }
            | TurnEvent::ToolOutput { .. }
            | TurnEvent::Compressed { .. }
            | TurnEvent::Used { .. }
            | TurnEvent::Notice { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_agent::{Observer, TurnEvent};

    use super::{Feed, MOST_UNREAD, Seen};

    fn says(feed: &Feed, delta: &str) {
        feed.saw(TurnEvent::Text { delta: delta.to_owned() });
    }

    #[test]
    fn text_that_waits_is_put_together_and_answers_are_set_apart() {
        let feed = Feed::default();
        let thinks = || feed.saw(TurnEvent::Thinking { round: 1, model: "m".to_owned() });
        thinks();
        says(&feed, "a");
        says(&feed, "b");
        assert_eq!(feed.take(), Some(Seen::Text("ab".to_owned())));
        thinks();
        says(&feed, "c");
        assert_eq!(feed.take(), Some(Seen::Text("\n\nc".to_owned())));
        assert_eq!(feed.take(), None);
    }

    #[test]
    fn a_caller_who_does_not_read_stops_the_turn_and_nothing_else() {
        let feed = Feed::default();
        let piece = "x".repeat(MOST_UNREAD / 2);
        says(&feed, &piece);
        feed.take();
        says(&feed, &piece);
        assert!(!feed.overflow.is_cancelled(), "what was read does not count");
        says(&feed, &piece);
        says(&feed, "x");
        assert!(feed.overflow.is_cancelled());
    }
}
