//! A text as lines, and where they are in it.

use std::borrow::Cow;
use std::ops::Range;

/// One line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Without its end; what is not UTF-8 is replaced.
    pub(super) text: Cow<'a, str>,
    /// Where it is, without its end.
    pub(super) range: Range<usize>,
    /// Where the next line begins.
    pub(super) end: usize,
}

impl Line<'_> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The white space it begins with.
    pub(super) fn indentation(&self) -> &str {
        indentation(&self.text)
    }
}

/// The white space a line begins with.
pub(super) fn indentation(line: &str) -> &str {
    let length = line.len() - line.trim_start().len();
    line.get(..length).unwrap_or_default()
}

/// Splits at `\n` and `\r\n`.
pub(super) fn split(text: &[u8]) -> Vec<Line<'_>> {
    let mut start = 0;
    text.split_inclusive(|byte| *byte == b'\n')
        .map(|whole| {
            let line = whole.strip_suffix(b"\n").map_or(whole, |line| line.strip_suffix(b"\r").unwrap_or(line));
            let range = start..start + line.len();
            start += whole.len();
            Line { text: String::from_utf8_lossy(line), range, end: start }
        })
        .collect()
}

/// The line numbers (from 1) of places that are in order.
pub(super) fn numbers(text: &[u8], places: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut number = 1;
    let mut counted = 0;
    places
        .map(|place| {
            number += memchr::memchr_iter(b'\n', text.get(counted..place).unwrap_or_default()).count();
            counted = place;
            number
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{numbers, split};

    #[test]
    fn lines_know_where_they_are() {
        let check = |text: &str, expected: &[(&str, usize, usize)]| {
            let lines = split(text.as_bytes());
            let seen: Vec<_> = lines.iter().map(|line| (line.text.as_ref(), line.range.start, line.end)).collect();
            assert_eq!(seen, expected, "{text:?}");
        };
        check("", &[]);
        check("a", &[("a", 0, 1)]);
        check("a\r\n\nb\r", &[("a", 0, 3), ("", 3, 4), ("b\r", 4, 6)]);
    }

    #[test]
    fn places_have_line_numbers() {
        assert_eq!(numbers(b"a\nb\nc\n", [0, 2, 3, 5].into_iter()), [1, 2, 2, 3]);
    }
}
