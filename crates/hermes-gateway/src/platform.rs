//! The name of a platform, as it stands in configuration, keys and the store.

use std::fmt;
use std::str::FromStr;

use hermes_proto::{Explain, Fault};
use serde::{Deserialize, Serialize};

const LONGEST: usize = 32;

/// `telegram`, `api_server`, `webhook`: lowercase letters, digits and underscores.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Platform(String);

/// Why a text names no platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no name of a platform: lowercase letters, digits and underscores, at most {LONGEST}")]
pub struct InvalidPlatform(pub String);

impl Platform {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Platform {
    type Error = InvalidPlatform;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_name = !text.is_empty() && text.len() <= LONGEST && text.bytes().all(is_letter);
        if is_name { Ok(Self(text)) } else { Err(InvalidPlatform(text)) }
    }
}

impl FromStr for Platform {
    type Err = InvalidPlatform;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

impl From<Platform> for String {
    fn from(platform: Platform) -> Self {
        platform.0
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl Explain for InvalidPlatform {
    fn fault(&self) -> Fault {
        Fault::Usage
    }
}
