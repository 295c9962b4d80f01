//! The page of matches that is returned: which of the found lines are on it, and how they
//! are shown.

use std::collections::VecDeque;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use hermes_proto::executor::{FoundLine, LineRole};

use crate::files::room::Room;

/// Matches that are counted; who gets more needs another pattern, not a number.
pub(super) const COUNTED: usize = 10_000;
/// Characters of a line that are shown.
const LONGEST: usize = 500;
/// Bytes before a match that are shown when its line is cut.
const BEFORE: usize = 100;

/// Matches from `offset` on, at most `limit`, within the room of an answer.
#[derive(Debug)]
pub(super) struct Page {
    offset: usize,
    limit: usize,
    room: Room,
    pub(super) lines: Vec<FoundLine>,
    /// Matches seen.
    pub(super) total: usize,
    /// Matches in `lines`.
    pub(super) shown: usize,
    /// Whether a match of the page did not fit into the answer.
    pub(super) is_full: bool,
}

impl Page {
    pub(super) fn new(offset: usize, limit: usize) -> Self {
        Self { offset, limit, room: Room::default(), lines: Vec::new(), total: 0, shown: 0, is_full: false }
    }

    /// Where the next page begins.
    pub(super) fn next_offset(&self) -> usize {
        self.offset.saturating_add(self.shown)
    }

    /// Whether matches were seen after the last one shown.
    pub(super) fn has_more(&self) -> bool {
        self.total > self.next_offset()
    }

    pub(super) fn asks_for_some(&self) -> bool {
        self.limit > 0
    }

    /// Whether the match after the `total` ones that were seen is shown.
    fn takes_next(&self) -> bool {
        !self.is_full && self.total >= self.offset && self.shown < self.limit
    }

    fn push(&mut self, line: FoundLine) {
        if self.is_full || !self.room.take(&[&line.path, &line.text]) {
            self.is_full = true;
            return;
        }
        self.shown += usize::from(line.role == LineRole::Match);
        self.lines.push(line);
    }
}

/// Collects the matches of one file.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    matcher: &'a RegexMatcher,
    page: &'a mut Page,
    path: &'a str,
    /// Context that belongs to the next match, if that is shown.
    waiting: VecDeque<FoundLine>,
    context: usize,
    /// Whether the last match was shown, so that the lines after it are too.
    is_showing: bool,
    /// Where the file turned out to be binary.
    pub(super) binary_at: Option<u64>,
    pub(super) matches: usize,
}

impl<'a> Collector<'a> {
    pub(super) fn new(matcher: &'a RegexMatcher, page: &'a mut Page, path: &'a str, context: usize) -> Self {
        let waiting = VecDeque::with_capacity(context);
        Self { matcher, page, path, waiting, context, is_showing: false, binary_at: None, matches: 0 }
    }

    fn line(&self, number: Option<u64>, bytes: &[u8], role: LineRole) -> FoundLine {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let start = match role {
            LineRole::Match => self.matcher.find(bytes).ok().flatten().map_or(0, |found| found.start()),
            LineRole::Context => 0,
        };
        FoundLine { path: self.path.to_owned(), line: number.unwrap_or(0), text: cut_around(bytes, start), role }
    }
}

impl Sink for Collector<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.is_showing = self.page.takes_next();
        let waiting = std::mem::take(&mut self.waiting);
        if self.is_showing {
            let line = self.line(found.line_number(), found.bytes(), LineRole::Match);
            waiting.into_iter().chain([line]).for_each(|line| self.page.push(line));
        }
        self.page.total += 1;
        self.matches += 1;
        Ok(self.page.total < COUNTED)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, Self::Error> {
        if self.page.is_full {
            return Ok(true);
        }
        let line = self.line(found.line_number(), found.bytes(), LineRole::Context);
        if self.is_showing && *found.kind() == grep_searcher::SinkContextKind::After {
            self.page.push(line);
        } else if self.page.takes_next() {
            self.waiting.push_back(line);
            if self.waiting.len() > self.context {
                self.waiting.pop_front();
            }
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), Self::Error> {
        self.binary_at = end.binary_byte_offset();
        Ok(())
    }
}

/// A line as text, at most so long, with the byte `start` in it.
fn cut_around(bytes: &[u8], start: usize) -> String {
    let whole = String::from_utf8_lossy(bytes.get(..LONGEST * 4 + 1).unwrap_or(bytes));
    if bytes.len() <= LONGEST * 4 && whole.chars().count() <= LONGEST {
        return whole.into_owned();
    }
    let from = match start {
        0..BEFORE => 0,
        _ => character_start(bytes, start - BEFORE),
    };
    let part = bytes.get(from..).unwrap_or_default();
    let text = String::from_utf8_lossy(part.get(..LONGEST * 4).unwrap_or(part));
    let end = text.char_indices().nth(LONGEST).map(|(end, _)| end);
    let shown = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let has_more = end.is_some() || part.len() > LONGEST * 4;
    format!("{}{shown}{}", if from > 0 { "…" } else { "" }, if has_more { "…" } else { "" })
}

/// The first byte from `position` on that begins a character.
fn character_start(bytes: &[u8], position: usize) -> usize {
    let is_start = |byte: &u8| (*byte & 0b1100_0000) != 0b1000_0000;
    let rest = bytes.get(position..).unwrap_or_default();
    position + rest.iter().take(4).position(is_start).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LONGEST, cut_around};

    #[test]
    fn a_long_line_is_cut_around_its_match() {
        let check = |line: &str, start: usize, expected: &str| assert_eq!(cut_around(line.as_bytes(), start), expected);
        check("short", 3, "short");
        check(&"ä".repeat(LONGEST), 0, &"ä".repeat(LONGEST));
        check(&"ä".repeat(LONGEST + 1), 0, &format!("{}…", "ä".repeat(LONGEST)));
        let long = format!("{}needle{}", "a".repeat(5000), "b".repeat(5000));
        check(&long, 5000, &format!("…{}needle{}…", "a".repeat(100), "b".repeat(LONGEST - 106)));
        let end = format!("{}needle", "a".repeat(5000));
        check(&end, 5000, &format!("…{}needle", "a".repeat(100)));
    }

    proptest! {
        #[test]
        fn any_line_is_cut(bytes in proptest::collection::vec(any::<u8>(), 0..3000), start in 0usize..4000) {
            prop_assert!(cut_around(&bytes, start).chars().count() <= LONGEST + 2);
        }
    }
}
