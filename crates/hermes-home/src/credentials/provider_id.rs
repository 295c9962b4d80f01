//! A provider as somebody typed it, checked once.
//!
//! A mistyped id would store a key where nothing ever looks for it, and the person
//! would be told that there is none.

use std::fmt;
use std::str::FromStr;

use hermes_proto::{Explain, Fault};

use hermes_proto::credential::providers::{self, PROVIDERS};

/// What precedes the name of a provider that only this home knows.
const CUSTOM: &str = "custom:";

/// A known provider's id, or `custom:<name>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProviderId(String);

/// Why a text is not a provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProvider {
    #[error("unknown provider {asked:?}")]
    Unknown { asked: String, nearest: Option<&'static str> },
    #[error("{0:?} is not a custom provider's name: custom: and then letters, digits, '.', '_' or '-'")]
    Custom(String),
}

impl ProviderId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id that something is stored under, as the provider it means: an alias
    /// becomes the id, and what nobody knows stays what it is.
    pub(crate) fn of_stored(key: &str) -> Self {
        Self(providers::find(key).map_or(key, |provider| provider.id).to_owned())
    }

    /// Whether what is stored under this key belongs to this provider.
    pub(crate) fn owns(&self, key: &str) -> bool {
        Self::of_stored(key) == *self
    }
}

impl FromStr for ProviderId {
    type Err = InvalidProvider;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let asked = text.trim().to_ascii_lowercase();
        if let Some(name) = asked.strip_prefix(CUSTOM) {
            let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
            let valid = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(allowed);
            return if valid { Ok(Self(asked)) } else { Err(InvalidProvider::Custom(text.to_owned())) };
        }
        match providers::find(&asked) {
            Some(provider) => Ok(Self(provider.id.to_owned())),
            None => Err(InvalidProvider::Unknown { nearest: nearest(&asked), asked: text.to_owned() }),
        }
    }
}

/// The known id or alias that is most like this text, if any is like it at all.
fn nearest(asked: &str) -> Option<&'static str> {
    const LIKE: f64 = 0.75;
    let ids = PROVIDERS.iter().flat_map(|provider| std::iter::once(&provider.id).chain(provider.aliases));
    ids.map(|id| (strsim::jaro_winkler(asked, id), *id))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, id)| id)
}

impl fmt::Display for ProviderId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Explain for InvalidProvider {
    fn fault(&self) -> Fault {
        Fault::Usage
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest: Some(id), .. } => Some(format!("did you mean {id}?")),
            Self::Unknown { nearest: None, .. } => {
                let ids: Vec<_> = PROVIDERS.iter().map(|provider| provider.id).collect();
                Some(format!("known are {}; any other is custom:NAME", ids.join(", ")))
            }
            Self::Custom(_) => Some("write for example custom:my-server".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_proto::Explain;

    use super::ProviderId;

    #[test]
    fn ids_aliases_and_custom_names_are_providers() {
        for (text, id) in [
            ("openrouter", "openrouter"),
            (" OpenRouter ", "openrouter"),
            ("google", "gemini"),
            ("openai-api", "openai"),
            ("custom:my-server_2.x", "custom:my-server_2.x"),
            ("custom", "custom"),
        ] {
            assert_eq!(text.parse::<ProviderId>().unwrap().as_str(), id);
        }
    }

    #[test]
    fn a_typing_error_names_the_nearest() {
        for (text, hint) in [
            ("opnrouter", "did you mean openrouter?"),
            ("antropic", "did you mean anthropic?"),
            ("custom:", "write for example custom:my-server"),
            ("custom:a b", "write for example custom:my-server"),
            ("custom:../x", "write for example custom:my-server"),
        ] {
            assert_eq!(text.parse::<ProviderId>().unwrap_err().hint().unwrap(), hint, "{text}");
        }
        let hint = "9999".parse::<ProviderId>().unwrap_err().hint().unwrap();
        assert!(hint.starts_with("known are openrouter, ") && hint.ends_with("custom:NAME"), "{hint}");
    }
}
