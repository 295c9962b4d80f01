//! An API key as it was pasted, checked before it is stored.
//!
//! A key with a stray line end or half of another line in it is stored without
//! complaint and fails a week later as "unauthorised"; one with a control character
//! can split an HTTP header.

use hermes_proto::{Explain, Fault, Secret};

/// No provider's key comes near this; a file piped in by mistake does.
const LONGEST: usize = 16 * 1024;

/// A key that can be sent in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey(Secret);

/// Why a text is no key. None of these quotes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidApiKey {
    #[error("the API key is empty")]
    Empty,
    #[error("the API key is longer than {LONGEST} characters")]
    TooLong,
    #[error("the API key contains a blank or a line end")]
    Blank,
    #[error("the API key contains a character that no key has: a control character or one outside ASCII")]
    Character,
}

impl ApiKey {
    /// The most that has to be read to know that a text is too long.
    pub const READ_LIMIT: u64 = LONGEST as u64 + 1024;

    /// Blanks and line ends around the key are not part of it.
    pub fn parse(text: &str) -> Result<Self, InvalidApiKey> {
        let key = text.trim_matches([' ', '\t', '\r', '\n']);
        if key.is_empty() {
            return Err(InvalidApiKey::Empty);
        }
        if key.len() > LONGEST {
            return Err(InvalidApiKey::TooLong);
        }
        if key.contains(char::is_whitespace) {
            return Err(InvalidApiKey::Blank);
        }
        if !key.chars().all(|character| character.is_ascii_graphic()) {
            return Err(InvalidApiKey::Character);
        }
        Ok(Self(Secret::new(key)))
    }

    pub fn secret(&self) -> &Secret {
        &self.0
    }
}

impl Explain for InvalidApiKey {
    fn fault(&self) -> Fault {
        Fault::Usage
    }
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, InvalidApiKey};

    #[test]
    fn a_key_loses_what_surrounds_it_and_nothing_else() {
        for text in ["sk-1", "sk-1\n", "sk-1\r\n", "  sk-1\t\n\n"] {
            assert_eq!(ApiKey::parse(text).unwrap().secret().expose(), "sk-1", "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        for (text, expected) in [
            ("", InvalidApiKey::Empty),
            (" \t\r\n", InvalidApiKey::Empty),
            ("sk-1 sk-2", InvalidApiKey::Blank),
            ("sk-1\nsk-2", InvalidApiKey::Blank),
            ("sk\u{a0}1", InvalidApiKey::Blank),
            ("sk\u{0}1", InvalidApiKey::Character),
            ("sk\u{1b}[0m", InvalidApiKey::Character),
            ("sk-ä", InvalidApiKey::Character),
            (&"a".repeat(20_000), InvalidApiKey::TooLong),
        ] {
            assert_eq!(ApiKey::parse(text), Err(expected), "{text:?}");
        }
    }
}
