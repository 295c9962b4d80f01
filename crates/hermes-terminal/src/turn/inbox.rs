//! Events on their way from a turn to the screen.
//!
//! The turn must not wait for a slow terminal, and a fast tool must not fill the memory meanwhile: what was not shown yet
//! is put together, and old tool output, which would be scrolled past anyway, is dropped.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_agent::{Observer, TurnEvent};
use tokio::sync::Notify;

/// Tool output that waits to be shown, at most.
const OUTPUT: usize = 64 * 1024;
/// Text of the model that waits to be shown, at most. The transcript has it all.
const TEXT: usize = 8 * 1024 * 1024;
/// Events that wait, at most.
const EVENTS: usize = 4096;

/// The events of one turn that were not shown yet.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    waiting: Mutex<VecDeque<TurnEvent>>,
    arrived: Notify,
}

impl Inbox {
    /// All that has happened since the last call, at least one event. Safe to give up and call again.
    pub(crate) async fn next(&self) -> VecDeque<TurnEvent> {
        loop {
            let events = self.take();
            if !events.is_empty() {
                return events;
            }
            self.arrived.notified().await;
        }
    }

    /// All that has happened since the last call.
    pub(crate) fn take(&self) -> VecDeque<TurnEvent> {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<TurnEvent>> {
        // Events are pushed whole; one that a panic interrupted is merely missing.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Inbox {
    fn saw(&self, event: TurnEvent) {
        let mut waiting = self.waiting();
        let rest = match waiting.back_mut() {
            Some(last) => joined(last, event),
            None => Some(event),
        };
        if let Some(event) = rest {
            if waiting.len() == EVENTS {
                waiting.pop_front();
            }
            waiting.push_back(event);
        }
        drop(waiting);
        self.arrived.notify_one();
    }
}

/// Adds an event to the one before it; gives it back if they do not belong together.
fn joined(last: &mut TurnEvent, event: TurnEvent) -> Option<TurnEvent> {
    match (last, event) {
        (TurnEvent::Text { delta: before }, TurnEvent::Text { delta })
        | (TurnEvent::Reasoning { delta: before }, TurnEvent::Reasoning { delta }) => {
            if before.len() < TEXT {
                before.push_str(&delta);
            }
            None
        }
        (TurnEvent::ToolOutput { call: one, text: before }, TurnEvent::ToolOutput { call, text }) if *one == call => {
            before.push_str(&text);
            keep_end(before);
            None
        }
        (_, event) => Some(event),
    }
}

fn keep_end(text: &mut String) {
    if text.len() > 2 * OUTPUT {
        let mut start = text.len() - OUTPUT;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text.drain(..start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(delta: &str) -> TurnEvent {
        TurnEvent::Text { delta: delta.to_owned() }
    }

    #[test]
    fn what_belongs_together_is_put_together_and_in_order() {
        let inbox = Inbox::default();
        let output = |call: &str, text: &str| TurnEvent::ToolOutput { call: call.into(), text: text.to_owned() };
        for event in [text("a"), text("b"), output("1", "x"), output("1", "y"), output("2", "z"), text("c")] {
            inbox.saw(event);
        }
        assert_eq!(inbox.take(), [text("ab"), output("1", "xy"), output("2", "z"), text("c")]);
        assert!(inbox.take().is_empty());
    }

    #[test]
    fn a_flood_is_bounded_and_keeps_the_newest() {
        let inbox = Inbox::default();
        for _ in 0..10_000 {
            inbox.saw(TurnEvent::ToolOutput { call: "1".into(), text: "ä".repeat(100) });
        }
        for number in 0..10_000 {
            inbox.saw(TurnEvent::Notice { text: number.to_string() });
        }
        let events = inbox.take();
        assert_eq!(events.len(), EVENTS);
        assert_eq!(events.back(), Some(&TurnEvent::Notice { text: "9999".to_owned() }));
        inbox.saw(TurnEvent::ToolOutput { call: "1".into(), text: "ä".repeat(OUTPUT) });
        inbox.saw(TurnEvent::ToolOutput { call: "1".into(), text: "end".to_owned() });
        match &inbox.take()[0] {
            TurnEvent::ToolOutput { text, .. } => assert!(text.len() <= 2 * OUTPUT && text.ends_with("end")),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn waiting_ends_with_the_next_event() {
        let inbox = std::sync::Arc::new(Inbox::default());
        let (events, ()) = tokio::join!(inbox.next(), async { inbox.saw(text("now")) });
        assert_eq!(events, [text("now")]);
    }
}
