//! The key of a session, checked once.
//!
//! A key routes a command to the executor of its conversation, stands in the environment of
//! every child and in the log. It authorises nothing.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Explain, Fault};

/// Bytes a key may have at most.
const LONGEST: usize = 256;

/// What tells one conversation from another: 1 to 256 bytes without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionKey(String);

/// Why a text is not the key of a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSessionKey {
    #[error("a session key cannot be empty")]
    Empty,
    #[error("a session key of {0} bytes is longer than {LONGEST}")]
    TooLong(usize),
    #[error("session key {0:?} contains a control character")]
    ControlCharacter(String),
}

impl SessionKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SessionKey {
    type Error = InvalidSessionKey;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() {
            return Err(InvalidSessionKey::Empty);
        }
        if text.len() > LONGEST {
            return Err(InvalidSessionKey::TooLong(text.len()));
        }
        if text.chars().any(char::is_control) {
            return Err(InvalidSessionKey::ControlCharacter(text));
        }
        Ok(Self(text))
    }
}

impl FromStr for SessionKey {
    type Err = InvalidSessionKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

impl From<SessionKey> for String {
    fn from(key: SessionKey) -> Self {
        key.0
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Explain for InvalidSessionKey {
    fn fault(&self) -> Fault {
        Fault::Usage
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidSessionKey, LONGEST, SessionKey};

    fn check(text: &str, expected: &Result<(), InvalidSessionKey>) {
        assert_eq!(&text.parse::<SessionKey>().map(drop), expected, "{text:?}");
    }

    #[test]
    fn keys_are_short_text_without_control_characters() {
        check("agent:main:discord:thread:1:2", &Ok(()));
        check("Grüße, 世界 ../x", &Ok(()));
        check(&"k".repeat(LONGEST), &Ok(()));
        check("", &Err(InvalidSessionKey::Empty));
        check(&"k".repeat(LONGEST + 1), &Err(InvalidSessionKey::TooLong(LONGEST + 1)));
        for text in ["a\nb", "\0", "a\u{1b}[31m", "a\u{85}"] {
            check(text, &Err(InvalidSessionKey::ControlCharacter(text.to_owned())));
        }
    }
}
