//! The name of one setting: segments between dots.
//!
//! Model names and host names contain dots, so a dot can be escaped. A path that was
//! split wrongly would change another setting than the one that was meant.

use std::fmt;
use std::str::FromStr;

use hermes_proto::{Explain, Fault};

/// Characters a segment may have at most: YAML allows no longer key on a line of its own.
const LONGEST: usize = 512;
/// Segments a path may have at most; the reader refuses what is nested deeper than twice that.
const DEEPEST: usize = 50;

/// A setting's path: `terminal.timeout`, with `\.` for a dot inside a segment and
/// `\\` for a backslash. A number indexes a list that exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyPath(Vec<String>);

/// Why a text is not the path of a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKeyPath {
    #[error("a key cannot be empty")]
    Empty,
    #[error("key {0:?} has an empty part")]
    EmptyPart(String),
    #[error("key {0:?} has a part longer than {LONGEST} characters")]
    LongPart(String),
    #[error("key {0:?} has more than {DEEPEST} parts")]
    Deep(String),
}

impl KeyPath {
    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// The only segment of a path that has just one.
    pub fn only(&self) -> Option<&str> {
        match self.0.as_slice() {
            [segment] => Some(segment),
            _ => None,
        }
    }

    /// The path of these segments, for messages.
    pub(crate) fn of(segments: &[String]) -> Self {
        Self(segments.to_vec())
    }
}

impl FromStr for KeyPath {
    type Err = InvalidKeyPath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(InvalidKeyPath::Empty);
        }
        let segments = split(text);
        if segments.iter().any(String::is_empty) {
            return Err(InvalidKeyPath::EmptyPart(text.to_owned()));
        }
        if segments.iter().any(|segment| segment.chars().count() > LONGEST) {
            return Err(InvalidKeyPath::LongPart(text.to_owned()));
        }
        if segments.len() > DEEPEST {
            return Err(InvalidKeyPath::Deep(text.to_owned()));
        }
        Ok(Self(segments))
    }
}

fn split(text: &str) -> Vec<String> {
    let mut segments = Vec::new();
    let mut segment = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => segment.push(rest.next_if(|next| matches!(next, '.' | '\\')).unwrap_or('\\')),
            '.' => segments.push(std::mem::take(&mut segment)),
            other => segment.push(other),
        }
    }
    segments.push(segment);
    segments
}

impl fmt::Display for KeyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str(".")?;
            }
            formatter.write_str(&segment.replace('\\', "\\\\").replace('.', "\\."))?;
        }
        Ok(())
    }
}

impl Explain for InvalidKeyPath {
    fn fault(&self) -> Fault {
        Fault::Usage
    }

    fn hint(&self) -> Option<String> {
        Some("write it like terminal.timeout, with \\. for a dot inside a part".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{InvalidKeyPath, KeyPath};

    #[test]
    fn dots_separate_unless_escaped() {
        for (text, expected) in [
            ("a", &["a"][..]),
            ("a.b.0", &["a", "b", "0"]),
            ("hosts.example\\.org.port", &["hosts", "example.org", "port"]),
            ("a\\\\.b", &["a\\", "b"]),
            ("a\\b", &["a\\b"]),
            ("a\\", &["a\\"]),
            ("_test.marker", &["_test", "marker"]),
            ("with space.ä", &["with space", "ä"]),
        ] {
            assert_eq!(text.parse::<KeyPath>().unwrap().segments(), expected, "{text}");
        }
    }

    #[test]
    fn paths_without_a_meaning_are_refused() {
        assert_eq!("".parse::<KeyPath>(), Err(InvalidKeyPath::Empty));
        for text in [".", "a.", ".a", "a..b"] {
            assert_eq!(text.parse::<KeyPath>(), Err(InvalidKeyPath::EmptyPart(text.to_owned())));
        }
        assert!(matches!("a".repeat(513).parse::<KeyPath>(), Err(InvalidKeyPath::LongPart(_))));
        assert!(matches!("a.".repeat(60).trim_end_matches('.').parse::<KeyPath>(), Err(InvalidKeyPath::Deep(_))));
    }

    proptest! {
        #[test]
        fn what_is_written_is_parsed_back(segments in proptest::collection::vec("\\PC{1,9}", 1..5)) {
            let path = KeyPath(segments);
            prop_assert_eq!(path.to_string().parse::<KeyPath>(), Ok(path));
        }
    }
}
