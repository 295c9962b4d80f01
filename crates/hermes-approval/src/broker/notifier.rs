//! How a question gets to the place where somebody can answer it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use hermes_proto::consent::{Consent, ConsentRequest};
use hermes_proto::session::SessionKey;
use serde::Serialize;

/// What a person types to answer one certain question: eight hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct PromptId(String);

/// Digits of a prompt's id.
const DIGITS: usize = 8;

impl PromptId {
    pub(super) fn random() -> Result<Self, rustix::io::Errno> {
        crate::random::hex::<{ DIGITS / 2 }>().map(Self)
    }

    /// Any text that could be an id; only one that was given out will be known.
    pub fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PromptId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notice {
    pub id: PromptId,
    pub session: SessionKey,
    pub request: ConsentRequest,
    /// How much longer it waits.
    pub remaining: Duration,
}

/// The question reached nobody.
#[derive(Debug, thiserror::Error)]
#[error("the question could not be delivered: {0}")]
pub struct Undelivered(pub String);

/// A notification that is on its way.
pub type PendingNotice<'a> = Pin<Box<dyn Future<Output = Result<(), Undelivered>> + Send + 'a>>;

/// The way from a session's questions to its people.
pub trait Notifier: fmt::Debug + Send + Sync {
    /// Shows the question. Done when the platform has taken it.
    fn notify<'a>(&'a self, notice: &'a Notice) -> PendingNotice<'a>;

    /// The question is no longer open: what was shown can say how it ended. Must not block.
    fn withdraw(&self, id: &PromptId, outcome: &Consent);

    /// Called about every ten seconds while the question waits: the turn is not stuck. Must not block.
    fn alive(&self, _id: &PromptId) {}
}

#[cfg(test)]
mod tests {
    use super::PromptId;

    #[test]
    fn ids_are_eight_digits_in_any_case() {
        for (text, is_one) in
            [("0123abcd", true), ("0123ABCD", true), ("0123abc", false), ("0123abcde", false), ("0123abcg", false)]
        {
            assert_eq!(PromptId::parse(text).is_some(), is_one, "{text}");
        }
        assert_eq!(PromptId::parse("ABCDEF01").unwrap().as_str(), "abcdef01");
        assert_ne!(PromptId::random().unwrap(), PromptId::random().unwrap());
    }
}
