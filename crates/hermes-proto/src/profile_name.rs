//! The name of a profile, checked once.
//!
//! A profile's name becomes a folder, a service slot and a part of session keys.
//! An unchecked one (`../x`, `-rf`, `A B`) would escape in each of those places.

use std::fmt;
use std::str::FromStr;

use crate::{Explain, Fault};

/// The reserved name of the home itself.
const DEFAULT: &str = "default";
/// Characters a name may have at most.
const LONGEST: usize = 64;

/// A profile other than the default home: `[a-z0-9][a-z0-9_-]{0,63}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProfileName(String);

/// Why a text is not a profile's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProfileName {
    #[error("a profile name cannot be empty")]
    Empty,
    #[error("profile name {0:?} is longer than {LONGEST} characters")]
    TooLong(String),
    #[error("profile name {0:?} must start with a lowercase letter or a digit")]
    Start(String),
    #[error("profile name {name:?} contains {found:?}; allowed are a-z, 0-9, _ and -")]
    Character { name: String, found: char },
    #[error("profile name \"default\" is reserved for the home itself")]
    Reserved,
}

impl ProfileName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProfileName {
    type Err = InvalidProfileName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        let Some(first) = text.chars().next() else {
            return Err(InvalidProfileName::Empty);
        };
        if let Some(found) = text.chars().find(|c| !allowed(*c)) {
            return Err(InvalidProfileName::Character { name: text.to_owned(), found });
        }
        if first == '_' || first == '-' {
            return Err(InvalidProfileName::Start(text.to_owned()));
        }
        if text.len() > LONGEST {
            return Err(InvalidProfileName::TooLong(text.to_owned()));
        }
        if text == DEFAULT {
            return Err(InvalidProfileName::Reserved);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Explain for InvalidProfileName {
    fn fault(&self) -> Fault {
        Fault::Usage
    }

    fn hint(&self) -> Option<String> {
        Some("choose a name such as work, coder-2 or team_a".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{InvalidProfileName, ProfileName};

    #[test]
    fn ordinary_names_are_accepted() {
        for name in ["a", "0", "work", "coder-2", "team_a", &"a".repeat(64)] {
            assert_eq!(name.parse::<ProfileName>().unwrap().as_str(), name);
        }
    }

    #[test]
    fn path_tricks_and_odd_characters_are_refused() {
        for name in ["foo/bar", "../escape", ".", "..", "Work", "a b", "a.b", "ä", "a\n", "a\0b", "/etc"] {
            let error = name.parse::<ProfileName>().unwrap_err();
            assert!(matches!(error, InvalidProfileName::Character { .. }), "{name:?}: {error}");
        }
        for name in ["-rf", "_x", "--yes"] {
            assert!(matches!(name.parse::<ProfileName>(), Err(InvalidProfileName::Start(_))), "{name}");
        }
        assert_eq!("".parse::<ProfileName>(), Err(InvalidProfileName::Empty));
        assert_eq!("default".parse::<ProfileName>(), Err(InvalidProfileName::Reserved));
        assert!(matches!("a".repeat(65).parse::<ProfileName>(), Err(InvalidProfileName::TooLong(_))));
    }
}
