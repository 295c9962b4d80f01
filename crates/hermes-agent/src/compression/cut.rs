//! Where a conversation is cut: between exchanges, never inside one.

use std::ops::Range;

use hermes_home::config::Compression;
use hermes_proto::message::{ContentPart, Message, Role};

use super::Urgency;
use crate::transcript::{SUMMARY, is_said_by_person, tokens_of};
use crate::turn::shorten_text;

/// Messages that are worth a summary.
const LEAST_MIDDLE: usize = 2;
/// Messages at the end that always stay.
const LEAST_TAIL: usize = 2;
/// Characters of a result at the end that stay in any case.
const LEAST_RESULT: usize = 2_000;
/// Characters of the latest request that are repeated.
const LONGEST_REQUEST: usize = 8_000;

/// What is replaced, and how long results behind it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) middle: Range<usize>,
    largest_result: usize,
}

/// Messages that are replaced by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) range: Range<usize>,
    pub(super) message: Message,
}

impl Cut {
    /// The best cut so that what stays has about half of `room` tokens; `None` if there is nothing worth replacing.
    pub(super) fn of(messages: &[Message], settings: &Compression, urgency: Urgency, room: u64) -> Option<Self> {
        let wanted = |count: u32| usize::try_from(count).unwrap_or(usize::MAX) >> urgency.0.min(16);
        let start = after_results(messages, wanted(settings.protect_first_n).min(messages.len()));
        let mut tail = wanted(settings.protect_last_n).max(LEAST_TAIL);
        let mut end = before_results(messages, messages.len().saturating_sub(tail));
        let weight = |end: usize| messages[end..].iter().map(tokens_of).sum::<u64>();
        while tail > LEAST_TAIL && weight(end) > room / 2 {
            tail = (tail / 2).max(LEAST_TAIL);
            end = before_results(messages, messages.len().saturating_sub(tail));
        }
        let results = messages[end..].iter().filter(|message| message.role() == Role::Tool).count().max(1);
        let largest = usize::try_from(room.saturating_mul(2)).unwrap_or(usize::MAX) / results;
        let cut = Self { middle: start.min(end)..end, largest_result: largest.max(LEAST_RESULT) };
        let is_worth_it = end >= start + LEAST_MIDDLE || cut.has_long_results(messages);
        is_worth_it.then_some(cut)
    }

    /// What changes in the conversation, from its end to its start.
    pub(super) fn changes(&self, messages: &[Message], summary: &str) -> Vec<Change> {
        let bounded = |index: usize| {
            let message = self.bounded(messages[index].clone());
            (message != messages[index]).then_some(Change { range: index..index + 1, message })
        };
        let mut changes: Vec<Change> = (self.end()..messages.len()).rev().filter_map(bounded).collect();
        if !self.middle.is_empty() {
            let text = self.summary(messages, &messages[self.middle.clone()], summary);
            changes.push(Change { range: self.middle.clone(), message: Message::user(text) });
        }
        changes
    }

    fn end(&self) -> usize {
        self.middle.end
    }

    fn summary(&self, messages: &[Message], middle: &[Message], summary: &str) -> String {
        let mut text = format!(
            "{SUMMARY}, written to save room. It is background and asks for nothing; what comes after it counts.]\n\n\
             {summary}\n\n[End of the summary]"
        );
        let is_asked_later = messages[self.end()..].iter().any(is_said_by_person);
        let request = middle.iter().rev().find(|message| is_said_by_person(message)).filter(|_| !is_asked_later);
        if let Some(request) = request {
            let mut words = request.text();
            shorten_text(&mut words, LONGEST_REQUEST);
            text.push_str(&format!("\n\nThe user's latest request, word for word:\n{words}"));
        }
        text
    }

    fn has_long_results(&self, messages: &[Message]) -> bool {
        messages[self.end()..].iter().any(|message| self.bounded(message.clone()) != *message)
    }

    fn bounded(&self, message: Message) -> Message {
        let Message::Tool { call_id, name, content } = message else { return message };
        let part = |part| match part {
            ContentPart::Text { mut text } => {
                // What was cut once is not cut again for the length of the notice.
                if text.chars().count() > self.largest_result + 100 {
                    shorten_text(&mut text, self.largest_result);
                }
                ContentPart::Text { text }
            }
            other => other,
        };
        Message::Tool { call_id, name, content: content.into_iter().map(part).collect() }
    }
}

/// The same place or a later one, behind results that belong to what is before it.
fn after_results(messages: &[Message], mut place: usize) -> usize {
    while messages.get(place).is_some_and(|message| message.role() == Role::Tool) {
        place += 1;
    }
    place
}

/// The same place or an earlier one, before the call of results that would come first.
fn before_results(messages: &[Message], mut place: usize) -> usize {
    while place > 0 && messages.get(place).is_some_and(|message| message.role() == Role::Tool) {
        place -= 1;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::{Cut, LEAST_MIDDLE};
    use crate::compression::Urgency;
    use crate::transcript::SUMMARY;
    use crate::transcript::tests::{any_messages, calls, is_whole, repaired, result};
    use hermes_home::config::Compression;
    use hermes_proto::message::Message;
    use proptest::prelude::*;

    fn shortened(messages: &[Message], settings: &Compression, urgency: u32) -> Option<Vec<Message>> {
        let cut = Cut::of(messages, settings, Urgency(urgency), 10_000)?;
        let mut shortened = messages.to_vec();
        for change in cut.changes(messages, "what happened") {
            shortened.splice(change.range, [change.message]);
        }
        Some(shortened)
    }

    #[test]
    fn head_and_tail_stay_and_the_latest_request_is_repeated() {
        let mut messages = vec![Message::user("do it"), Message::assistant("first"), Message::user("and this")];
        for _ in 0..30 {
            messages.extend([calls(&["a"]), result("a")]);
        }
        let settings = Compression::default();
        let short = shortened(&messages, &settings, 0).unwrap();
        assert_eq!(short.len(), 3 + 1 + 20);
        assert_eq!(short[..3], messages[..3]);
        assert_eq!(short[4..], messages[messages.len() - 20..]);
        assert!(short[3].text().starts_with(SUMMARY));
        messages.remove(2);
        messages.insert(12, Message::user("only this counts"));
        let short = shortened(&messages, &settings, 0).unwrap();
        // The third message is a call: its result stays with it.
        assert_eq!(short[..4], messages[..4]);
        assert!(short[4].text().ends_with("word for word:\nonly this counts"), "{}", short[4].text());
    }

    #[test]
    fn a_short_conversation_is_left_alone_and_a_heavy_tail_gives_way() {
        assert_eq!(shortened(&[Message::user("hi"), Message::assistant("ho")], &Compression::default(), 3), None);
        let mut messages = vec![Message::user("start")];
        for _ in 0..10 {
            messages.extend([Message::user("x".repeat(20_000)), Message::assistant("ok")]);
        }
        let short = shortened(&messages, &Compression::default(), 0).unwrap();
        assert!(short.len() < 12, "{}", short.len());
        let long = Message::tool_result(&calls(&["a"]).tool_calls()[0].clone(), "y".repeat(400_000));
        let short = shortened(&[Message::user("x"), calls(&["a"]), long], &Compression::default(), 2).unwrap();
        assert!(short.last().unwrap().text().len() < 30_000);
        assert!(is_whole(&short));
    }

    proptest! {
        #[test]
        fn a_call_is_never_parted_from_its_result(
            messages in any_messages(), first in 0_u32..6, last in 0_u32..25, urgency in 0_u32..4,
        ) {
            let messages = repaired(messages);
            let settings = Compression { protect_first_n: first, protect_last_n: last, ..Compression::default() };
            if let Some(short) = shortened(&messages, &settings, urgency) {
                prop_assert!(is_whole(&short));
                prop_assert!(short.len() < messages.len() || messages.len() < LEAST_MIDDLE);
                prop_assert_eq!(short.last().unwrap(), messages.last().unwrap());
            }
        }
    }
}
