//! The events of one run, numbered, the newest kept.
//!
//! Readers have a place in it and no queue of their own: one who is slow, or gone for a while, finds what is still there and is told
//! how much is not. So a run costs the same however many watch it.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

/// Events that are kept of a run.
const MOST: usize = 2_048;
/// Bytes of them.
const MOST_BYTES: usize = 192 * 1024;
/// Bytes of one: what is longer is cut by whoever makes it.
pub(super) const LONGEST_TEXT: usize = 16 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// Counted from 1.
    pub(super) number: u64,
    pub(super) kind: &'static str,
    /// JSON.
    pub(super) data: Arc<str>,
}

/// What a reader missed and what it gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// Events that are no longer there.
    pub(super) lost: u64,
    pub(super) events: Vec<Event>,
}

/// The newest events.
#[derive(Debug, Default)]
pub(super) struct Events {
    kept: VecDeque<Event>,
    bytes: usize,
    last: u64,
}

impl Events {
    pub(super) fn push(&mut self, kind: &'static str, data: &Value) {
        self.last += 1;
        let event = Event { number: self.last, kind, data: data.to_string().into() };
        self.bytes += event.data.len();
        self.kept.push_back(event);
        // The newest always stays.
        while self.kept.len() > MOST || (self.bytes > MOST_BYTES && self.kept.len() > 1) {
            if let Some(old) = self.kept.pop_front() {
                self.bytes -= old.data.len();
            }
        }
    }

    /// The number of the newest.
    pub(super) const fn last(&self) -> u64 {
        self.last
    }

    /// Everything after this number.
    pub(super) fn after(&self, seen: u64) -> Batch {
        let first = self.kept.front().map_or(self.last + 1, |event| event.number);
        let lost = first.saturating_sub(seen + 1);
        let events = self.kept.iter().filter(|event| event.number > seen).cloned().collect();
        Batch { lost, events }
    }
}

/// Says how many events are missing here.
pub(super) fn lost(run: &str, count: Option<u64>) -> Value {
    json!({"event": LOST, "run_id": run, "lost": count})
}

pub(super) const LOST: &str = "events.lost";

/// The text, cut to what one event may have; whether it was.
pub(super) fn cut(text: &str, longest: usize) -> (&str, bool) {
    if text.len() <= longest {
        return (text, false);
    }
    (&text[..text.floor_char_boundary(longest)], true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Events, MOST, MOST_BYTES};

    #[test]
    fn a_reader_goes_on_where_it_was_and_is_told_what_is_gone() {
        let mut events = Events::default();
        assert_eq!((events.after(0).lost, events.after(0).events.len()), (0, 0));
        let count = u64::try_from(MOST).unwrap() + 10;
        for number in 1..=count {
            events.push("x", &json!(number));
        }
        let all = events.after(0);
        assert_eq!((all.lost, all.events.len()), (10, MOST));
        let rest = events.after(count - 2);
        assert_eq!((rest.lost, rest.events[0].number, rest.events.len()), (0, count - 1, 2));
        assert_eq!(events.after(count).events, []);
    }

    #[test]
    fn large_events_push_out_old_ones_and_the_newest_stays() {
        let mut events = Events::default();
        for _ in 0..20 {
            events.push("x", &json!("y".repeat(MOST_BYTES / 4)));
        }
        let all = events.after(0);
        assert!(all.events.len() <= 4 && all.lost + u64::try_from(all.events.len()).unwrap() == 20, "{}", all.lost);
        events.push("x", &json!("y".repeat(MOST_BYTES * 2)));
        assert_eq!(events.after(0).events.len(), 1);
    }
}
