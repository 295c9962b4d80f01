//! Titles: one line that a person can type and a terminal can show.

use std::fmt;

use super::LATEST;

/// Characters a title may have.
const LONGEST: usize = 100;

/// A checked title: trimmed, no control characters, not too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

/// Why a text cannot be a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleProblem {
    Empty,
    TooLong,
    /// `latest` names the newest session.
    Reserved,
}

impl Title {
    /// Blanks and control characters become single spaces.
    pub fn parse(text: &str) -> Result<Self, TitleProblem> {
        let spaced: String = text.chars().map(|c| if hidden(c) { ' ' } else { c }).collect();
        let title = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
        match title.chars().count() {
            0 => Err(TitleProblem::Empty),
            length if length > LONGEST => Err(TitleProblem::TooLong),
            _ if title == LATEST => Err(TitleProblem::Reserved),
            _ => Ok(Self(title)),
        }
    }

    /// The nearest title to a text that nobody is going to correct.
    pub fn from_any(text: &str) -> Option<Self> {
        let start: String = text.chars().take(LONGEST).collect();
        Self::parse(&start).ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `title #2`, for when the plain one is taken. The number stays where the title has to be cut.
    pub(super) fn numbered(&self, number: u32) -> Self {
        let suffix = format!(" #{number}");
        let room = LONGEST.saturating_sub(suffix.chars().count());
        let start: String = self.0.chars().take(room).collect();
        Self(format!("{}{suffix}", start.trim_end()))
    }
}

/// Control characters, and those that make text run backwards.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

impl fmt::Display for Title {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Display for TitleProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("it is empty"),
            Self::TooLong => write!(formatter, "it has more than {LONGEST} characters"),
            Self::Reserved => write!(formatter, "{LATEST:?} always means the newest session"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_clean_line() {
        let title = |text: &str| Title::parse(text).map(|title| title.0);
        assert_eq!(title("  fix\tthe\n build \u{1b}[2J\u{202e}x").as_deref(), Ok("fix the build [2J x"));
        assert_eq!(title(" \n"), Err(TitleProblem::Empty));
        assert_eq!(title(&"é".repeat(101)), Err(TitleProblem::TooLong));
        assert_eq!(title("latest"), Err(TitleProblem::Reserved));
        assert_eq!(Title::from_any(&"é".repeat(500)).unwrap().0.chars().count(), 100);
        assert_eq!(Title(("a".repeat(99) + "b").clone()).numbered(12).0, "a".repeat(96) + " #12");
    }
}
