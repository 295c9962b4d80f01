//! Ids as platforms give them: chats, threads, people, messages.
//!
//! They are chosen by strangers and end up in keys, environments and logs. What could be read as something else there is refused
//! here, once, before anything is done with it.

use std::fmt;
use std::str::FromStr;

use hermes_proto::{Explain, Fault};
use serde::{Deserialize, Serialize};

/// Bytes of an id at most; the longest that a platform is known to give out has 255.
const LONGEST: usize = 255;

/// The id of something on a platform.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Identifier(String);

/// Why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidIdentifier {
    #[error("an id cannot be empty")]
    Empty,
    #[error("an id of {0} bytes is longer than {LONGEST}")]
    TooLong(usize),
    #[error("id {0:?} contains a control character")]
    ControlCharacter(String),
    #[error("id {0:?} looks like a path")]
    Path(String),
}

impl Identifier {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Identifier {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Identifier {
    type Error = InvalidIdentifier;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.trim().is_empty() {
            return Err(InvalidIdentifier::Empty);
        }
        if text.len() > LONGEST {
            return Err(InvalidIdentifier::TooLong(text.len()));
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidIdentifier::ControlCharacter(text));
        }
        if text.contains("..") || text.starts_with(['/', '\\']) {
            return Err(InvalidIdentifier::Path(text));
        }
        Ok(Self(text))
    }
}

impl FromStr for Identifier {
    type Err = InvalidIdentifier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

impl From<Identifier> for String {
    fn from(identifier: Identifier) -> Self {
        identifier.0
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl Explain for InvalidIdentifier {
    fn fault(&self) -> Fault {
        Fault::Usage
    }
}

#[cfg(test)]
mod tests {
    use super::{Identifier, InvalidIdentifier, LONGEST};

    fn check(text: &str, expected: &Result<(), InvalidIdentifier>) {
        assert_eq!(&text.parse::<Identifier>().map(drop), expected, "{text:?}");
    }

    #[test]
    fn hostile_ids_are_refused() {
        for text in ["-1001234", "!room:example.org", "491234:7@s.whatsapp.net", "Ünïcode 世界", &"x".repeat(LONGEST)]
        {
            check(text, &Ok(()));
        }
        for text in ["", " ", "\u{2003}"] {
            check(text, &Err(InvalidIdentifier::Empty));
        }
        check(&"x".repeat(LONGEST + 1), &Err(InvalidIdentifier::TooLong(LONGEST + 1)));
        for text in ["a\nb", "a\0", "\u{1b}[2J", "a\u{85}"] {
            check(text, &Err(InvalidIdentifier::ControlCharacter(text.to_owned())));
        }
        for text in ["..", "a/../b", "/etc/passwd", "\\\\host\\share"] {
            check(text, &Err(InvalidIdentifier::Path(text.to_owned())));
        }
    }
}
