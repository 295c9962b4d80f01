//! The last so-many characters of a text that never ends.
//!
//! Cutting the buffer at every piece would move it at every piece; it is cut when it has
//! grown by a quarter, so that each character is moved a bounded number of times.

/// Keeps the end of a text.
#[derive(Debug)]
pub(crate) struct Rolling {
    text: String,
    /// Characters in `text`.
    kept: usize,
    /// Characters ever pushed.
    total: u64,
    limit: usize,
}

impl Rolling {
    /// Keeps at least the last `limit` characters and at most a quarter more.
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), kept: 0, total: 0, limit }
    }

    pub(crate) fn push(&mut self, piece: &str) {
        let characters = piece.chars().count();
        self.total += characters as u64;
        if characters >= self.limit {
            self.text.clear();
            self.text.push_str(last_characters(piece, characters, self.limit));
            self.kept = self.limit;
            return;
        }
        self.text.push_str(piece);
        self.kept += characters;
        if self.kept > self.limit + self.limit / 4 {
            self.cut();
        }
    }

    /// The last `limit` characters, or all there are.
    pub(crate) fn text(&self) -> &str {
        last_characters(&self.text, self.kept, self.limit)
    }

    /// Characters that were pushed and are not in [`Rolling::text`].
    pub(crate) fn dropped(&self) -> u64 {
        self.total - self.kept.min(self.limit) as u64
    }

    /// Whether pushing this would drop the first character ever.
    pub(crate) fn would_drop(&self, piece: &str) -> bool {
        self.kept + piece.chars().count() > self.limit
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    fn cut(&mut self) {
        let from = self.text.len() - self.text().len();
        self.text.drain(..from);
        self.kept = self.kept.min(self.limit);
    }
}

/// The end of a text whose number of characters is known.
fn last_characters(text: &str, characters: usize, wanted: usize) -> &str {
    let skipped = characters.saturating_sub(wanted);
    if skipped == 0 {
        return text;
    }
    if text.len() == characters {
        // All of one byte each.
        return text.get(skipped..).unwrap_or(text);
    }
    let from = match wanted.checked_sub(1) {
        None => text.len(),
        Some(before) => text.char_indices().rev().nth(before).map_or(0, |(index, _)| index),
    };
    text.get(from..).unwrap_or(text)
}

/// The end of a text.
pub(crate) fn tail(text: &str, wanted: usize) -> &str {
    last_characters(text, text.chars().count(), wanted)
}

#[cfg(test)]
mod tests {
    use super::{Rolling, tail};
    use proptest::prelude::*;

    #[test]
    fn the_tail_is_counted_in_characters() {
        for (text, wanted, expected) in
            [("", 3, ""), ("abc", 0, ""), ("abc", 2, "bc"), ("abc", 9, "abc"), ("äöü", 2, "öü"), ("aäb", 3, "aäb")]
        {
            assert_eq!(tail(text, wanted), expected, "{text} {wanted}");
        }
    }

    proptest! {
        #[test]
        fn it_is_the_end_of_everything_pushed(
            pieces in proptest::collection::vec("[a-zäöü😀\n]{0,30}", 0..40), limit in 0usize..50
        ) {
            let mut rolling = Rolling::new(limit);
            let mut whole = String::new();
            for piece in &pieces {
                rolling.push(piece);
                whole.push_str(piece);
                prop_assert_eq!(rolling.text(), tail(&whole, limit));
                prop_assert!(rolling.kept <= limit + limit / 4 + 1);
            }
            let total = whole.chars().count();
            prop_assert_eq!(rolling.total(), total as u64);
            prop_assert_eq!(rolling.dropped(), total.saturating_sub(limit) as u64);
        }
    }
}
