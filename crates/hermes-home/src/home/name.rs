//! Which home is meant: two types, so that "nothing was said" and "the default
//! home was asked for" cannot be mixed up. Mixing them up is how `-p default`
//! would end in whatever profile happens to be active.

use std::fmt;
use std::str::FromStr;

use hermes_proto::{InvalidProfileName, ProfileName};

const DEFAULT: &str = "default";

/// One home of a root: the default one, or a profile's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum HomeName {
    Default,
    Profile(ProfileName),
}

/// What the command line says about the home to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Nothing: the environment and the active profile decide.
    Nothing,
    /// This one, whatever else is configured.
    For(HomeName),
}

impl HomeName {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Default => DEFAULT,
            Self::Profile(name) => name.as_str(),
        }
    }

    /// `None` for the default home.
    pub fn profile(&self) -> Option<&ProfileName> {
        match self {
            Self::Default => None,
            Self::Profile(name) => Some(name),
        }
    }
}

impl FromStr for HomeName {
    type Err = InvalidProfileName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            DEFAULT => Ok(Self::Default),
            name => name.parse().map(Self::Profile),
        }
    }
}

impl fmt::Display for HomeName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<ProfileName> for HomeName {
    fn from(name: ProfileName) -> Self {
        Self::Profile(name)
    }
}
