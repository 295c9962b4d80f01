//! A line of text and what its pieces mean. A piece can only be made of text that was made visible.

use super::visible::{revealed, visible};

/// What a piece of text is. How it looks is decided where it is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Heading,
    Code,
    Link,
    Quote,
    /// Of less interest.
    Faint,
    Added,
    Removed,
    /// The place of a change.
    Hunk,
    Good,
    Bad,
    /// Asks for attention.
    Alert,
    /// What the person typed.
    Own,
}

/// How a piece looks beside its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(crate) struct Ink {
    pub(crate) tone: Tone,
    pub(crate) strong: bool,
    pub(crate) slanted: bool,
    pub(crate) struck: bool,
}

impl From<Tone> for Ink {
    fn from(tone: Tone) -> Self {
        Self { tone, ..Self::default() }
    }
}

/// Text without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    text: String,
    ink: Ink,
}

impl Piece {
    pub(crate) fn new(text: &str, ink: impl Into<Ink>) -> Self {
        Self { text: one_line(&visible(text)), ink: ink.into() }
    }

    /// Part of what somebody is asked to approve: nothing in it is without a sign.
    pub(crate) fn revealed(text: &str, ink: impl Into<Ink>) -> Self {
        Self { text: one_line(&revealed(text)), ink: ink.into() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn ink(&self) -> Ink {
        self.ink
    }

    /// A part of this piece; what is visible stays visible.
    pub(super) fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self { text: self.text[range].to_owned(), ink: self.ink }
    }
}

/// A line feed inside a piece would break the count of lines that a screen is redrawn by.
fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line(pub(crate) Vec<Piece>);

impl Line {
    pub(crate) fn of(text: &str, ink: impl Into<Ink>) -> Self {
        Self(vec![Piece::new(text, ink)])
    }

    pub(crate) fn plain(text: &str) -> Self {
        Self::of(text, Tone::Plain)
    }

    #[must_use]
    pub(crate) fn and(mut self, text: &str, ink: impl Into<Ink>) -> Self {
        self.0.push(Piece::new(text, ink));
        self
    }

    /// The words alone.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(Piece::text).collect()
    }
}
