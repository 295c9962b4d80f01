//! What a check found.

use serde::Serialize;

use super::checks::Check;

/// How bad it is. The order is from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Ok,
    /// Something optional is missing, or weaker than it could be.
    Warning,
    /// Hermes cannot work like this, or a secret is exposed.
    Failure,
}

/// What a check saw, and what to do about it unless all is well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) status: Status,
    pub(super) seen: String,
    pub(super) advice: Option<String>,
}

/// A check with what it found.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) check: &'static Check,
    pub(super) finding: Finding,
}

impl Finding {
    pub(super) fn ok(seen: impl Into<String>) -> Self {
        Self { status: Status::Ok, seen: seen.into(), advice: None }
    }

    pub(super) fn warning(seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: Status::Warning, seen: seen.into(), advice: Some(advice.into()) }
    }

    pub(super) fn failure(seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { status: Status::Failure, seen: seen.into(), advice: Some(advice.into()) }
    }
}

impl Status {
    pub(super) fn worst(checked: &[Checked]) -> Self {
        checked.iter().map(|one| one.finding.status).max().unwrap_or(Self::Ok)
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failure => "failure",
        }
    }
}
