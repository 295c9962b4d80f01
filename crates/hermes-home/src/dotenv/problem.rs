//! What is wrong with a line of `.env`, without quoting it: it may hold a secret.

use std::fmt;

/// A line that does not mean what its author hoped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Counted from one.
    pub line: usize,
    pub what: What,
}

/// The ways in which a line can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// No `=`: the line sets nothing.
    NotAnAssignment,
    /// The name is not one that a shell can hold; the line sets nothing.
    InvalidName,
    /// A quote is opened and never closed; the line sets nothing.
    UnterminatedQuote,
    /// More than a comment follows the closing quote; the line sets nothing.
    TextAfterQuote,
    /// The value holds a NUL, which no variable can; the line sets nothing.
    Nul,
    /// The line is not UTF-8; its value was read with replacement characters.
    NotUtf8,
    /// `${NAME}` is written where others expand it; here it is literal.
    LiteralReference,
}

impl fmt::Display for What {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotAnAssignment => "not of the form NAME=value, ignored",
            Self::InvalidName => "the name may only hold letters, digits and _, and not start with a digit; ignored",
            Self::UnterminatedQuote => "the opening quote is never closed, ignored",
            Self::TextAfterQuote => "text follows the closing quote, ignored",
            Self::Nul => "the value holds a NUL character, ignored",
            Self::NotUtf8 => "not valid UTF-8, read with replacement characters",
            Self::LiteralReference => "the ${…} in the value is not expanded, it is taken as it stands",
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.what)
    }
}
