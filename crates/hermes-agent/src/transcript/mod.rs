//! What the model is told of a conversation, and about how much it is.
//!
//! Providers refuse a conversation in which a call has no result or a result no call, for ever after: one torn
//! pair makes a session useless. A transcript therefore never ends a turn with one, and mends what a killed
//! process left.

mod repair;

use std::ops::Range;

use hermes_proto::message::{ContentPart, Message, Role};
use hermes_store::sessions::Position;

pub(crate) use repair::repaired;
#[cfg(test)]
pub(crate) use repair::tests;

/// What a message begins with that stands for earlier ones.
pub(crate) const SUMMARY: &str = "[Summary of the conversation so far";
/// Characters that make about one token.
const CHARACTERS_PER_TOKEN: u64 = 4;
/// About what an image costs.
const TOKENS_PER_IMAGE: u64 = 1_500;

/// A message, and where the store has it. What was put in to make a torn conversation whole is in no store.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) message: Message,
    pub(crate) position: Option<Position>,
}

/// The messages of a conversation, without the system prompt.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    messages: Vec<Message>,
    /// Where the store has each of them.
    positions: Vec<Option<Position>>,
    /// What a provider counted, if it did.
    measured: Option<Measured>,
}

/// The tokens of the prompt, the tools and the first messages, as a provider counted them.
#[derive(Debug, Clone, Copy)]
struct Measured {
    tokens: u64,
    messages: usize,
}

impl Measured {
    /// The same after messages were replaced by one. What a provider counts besides, tools for example, stays counted.
    fn without(self, range: &Range<usize>, dropped: u64, added: u64) -> Option<Self> {
        let messages = (self.messages + 1).checked_sub(range.len()).filter(|_| range.end <= self.messages)?;
        Some(Self { tokens: self.tokens.checked_sub(dropped)? + added, messages })
    }
}

impl Transcript {
    pub(crate) fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let (messages, positions) = entries.into_iter().map(|entry| (entry.message, entry.position)).unzip();
        Self { messages, positions, measured: None }
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.messages.push(entry.message);
        self.positions.push(entry.position);
    }

    /// The last messages stand there in the store.
    pub(crate) fn stand_at(&mut self, positions: &[Position]) {
        let from = self.positions.len().saturating_sub(positions.len());
        for (known, position) in self.positions[from..].iter_mut().zip(positions) {
            *known = Some(*position);
        }
    }

    pub(crate) fn truncate(&mut self, keep: usize) {
        self.messages.truncate(keep);
        self.positions.truncate(keep);
        self.measured = self.measured.filter(|measured| measured.messages <= keep);
    }

    /// Puts another in the place of these messages.
    pub(crate) fn replace(&mut self, range: Range<usize>, entry: Entry) {
        let dropped: u64 = self.messages[range.clone()].iter().map(tokens_of).sum();
        let added = tokens_of(&entry.message);
        self.messages.splice(range.clone(), [entry.message]);
        self.positions.splice(range.clone(), [entry.position]);
        self.measured = self.measured.and_then(|measured| measured.without(&range, dropped, added));
    }

    /// The first and last place that the store has of these messages.
    pub(crate) fn stored(&self, range: Range<usize>) -> Option<(Position, Position)> {
        let mut positions = self.positions[range].iter().flatten();
        let first = *positions.next()?;
        Some((first, positions.next_back().copied().unwrap_or(first)))
    }

    /// All messages so far are known to be this many tokens.
    pub(crate) fn measure(&mut self, tokens: u64) {
        if tokens > 0 {
            self.measured = Some(Measured { tokens, messages: self.messages.len() });
        }
    }

    /// Another model counts differently.
    pub(crate) fn forget_measure(&mut self) {
        self.measured = None;
    }

    /// About how many tokens a request has.
    pub(crate) fn tokens(&self, prompt: &str) -> u64 {
        let (known, from) = match self.measured {
            Some(measured) => (measured.tokens, measured.messages),
            None => (characters(prompt).div_ceil(CHARACTERS_PER_TOKEN), 0),
        };
        self.messages[from..].iter().map(tokens_of).fold(known, u64::saturating_add)
    }

    /// Where the last thing stands that a person said.
    pub(crate) fn last_user(&self) -> Option<usize> {
        self.messages.iter().rposition(is_said_by_person)
    }
}

/// Whether a person said this: a summary is told in the same role.
pub(crate) fn is_said_by_person(message: &Message) -> bool {
    message.role() == Role::User && !message.text().starts_with(SUMMARY)
}

fn characters(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

/// About how many tokens a message has.
pub(crate) fn tokens_of(message: &Message) -> u64 {
    let words = characters(&message.text());
    let calls =
        message.tool_calls().iter().map(|call| characters(&call.name) + characters(&call.arguments)).sum::<u64>();
    let images = match message {
        Message::User { content } | Message::Tool { content, .. } => {
            content.iter().filter(|part| matches!(part, ContentPart::Image { .. })).count()
        }
        Message::System { .. } | Message::Assistant { .. } => 0,
    };
    let images = TOKENS_PER_IMAGE * u64::try_from(images).unwrap_or(u64::MAX);
    (words + calls).div_ceil(CHARACTERS_PER_TOKEN).saturating_add(images)
}

#[cfg(test)]
mod estimates {
    use super::{Entry, Transcript};
    use hermes_proto::message::Message;

    #[test]
    fn what_a_provider_counted_is_believed_and_the_rest_estimated() {
        let entry = |message| Entry { message, position: None };
        let mut transcript = Transcript::new([entry(Message::user("x".repeat(400)))]);
        assert_eq!(transcript.tokens(&"p".repeat(40)), 110);
        transcript.measure(5_000);
        transcript.push(entry(Message::assistant("y".repeat(40))));
        assert_eq!(transcript.tokens("ignored: it was counted"), 5_010);
        transcript.replace(0..1, entry(Message::user("z".repeat(80))));
        assert_eq!(transcript.tokens(""), 5_010 - 100 + 20);
        transcript.replace(0..2, entry(Message::user("z".repeat(80))));
        assert_eq!(transcript.tokens(""), 20);
        transcript.truncate(0);
        assert_eq!(transcript.tokens(""), 0);
    }
}
