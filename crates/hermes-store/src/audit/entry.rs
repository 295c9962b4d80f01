//! One entry, as it is handed in and as it is read back.

use std::fmt;

use serde::Serialize;
use serde_json::Value as Json;
use uuid::Uuid;

use super::Hash;
use crate::Time;

/// Position in the chain; the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Sequence(pub i64);

impl fmt::Display for Sequence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Ties the entries of one command together: its request, decision, start and end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct RequestId(String);

impl RequestId {
    /// A new one, unique across machines; later ones sort later.
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for RequestId {
    fn default() -> Self {
        Self::new()
    }
}

impl From<String> for RequestId {
    /// Any text may be asked about; only one that was given out will be found.
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What an entry tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Something is to be run.
    Request,
    /// It may, or may not.
    Decision,
    /// It runs.
    Start,
    /// It ran.
    End,
    /// Anything else worth remembering, such as an answer from the wrong chat.
    Note,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Decision => "decision",
            Self::Start => "start",
            Self::End => "end",
            Self::Note => "note",
        }
    }
}

/// What policy said about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `floor`, `ask` or `allow`.
    pub class: String,
    /// The rule's stable key; empty if none matched.
    pub rule: String,
}

/// An entry to be appended. Texts are redacted and bounded on the way in.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub time: Time,
    pub kind: Kind,
    pub request: RequestId,
    /// The session's key or id.
    pub session: Option<String>,
    /// Who asked or answered: a person, the operator, a part of Hermes.
    pub who: Option<String>,
    /// How that person was reached.
    pub surface: Option<String>,
    /// Where it runs: `local`, `docker:NAME`, `ssh:HOST`.
    pub place: Option<String>,
    /// What it is about, usually the command's text.
    pub subject: Option<String>,
    pub verdict: Option<Verdict>,
    /// `approved once`, `denied`, `exit 0`.
    pub outcome: Option<String>,
    /// Everything else; `Null` for nothing.
    pub detail: Json,
}

impl Entry {
    /// An entry of this moment that tells nothing yet.
    pub fn new(kind: Kind, request: &RequestId) -> Self {
        Self {
            time: Time::now(),
            kind,
            request: request.clone(),
            session: None,
            who: None,
            surface: None,
            place: None,
            subject: None,
            verdict: None,
            outcome: None,
            detail: Json::Null,
        }
    }
}

/// An entry of the chain. Its kind is a text, because a newer version may have written it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recorded {
    pub sequence: Sequence,
    pub time: Time,
    pub kind: String,
    pub request: RequestId,
    pub session: Option<String>,
    pub who: Option<String>,
    pub surface: Option<String>,
    pub place: Option<String>,
    pub subject: Option<String>,
    /// Bytes that the redacted subject had before it was cut.
    pub subject_length: Option<i64>,
    pub verdict: Option<String>,
    pub rule: Option<String>,
    pub outcome: Option<String>,
    pub detail: Option<Json>,
    pub previous: Hash,
    pub hash: Hash,
}
