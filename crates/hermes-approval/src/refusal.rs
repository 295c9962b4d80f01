//! Why something may not be done, in words for people and in words for the model.
//!
//! A refusal that only said "error" was read as an obstacle: the model tried again, rephrased, or took another way. So each
//! one says that nobody consented and that the same thing by other means is refused as well.

use std::fmt;
use std::time::Duration;

use hermes_policy::decide::Why;
use hermes_proto::{Explain, Fault};
use serde::Serialize;

use crate::journal::JournalError;

/// No permit.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Refusal {
    #[source]
    pub cause: Cause,
    /// The key of the first thing that was found, if anything was.
    pub rule: Option<String>,
    /// Refusals in a row in this session, this one included, when there were too many of them.
    pub too_many: Option<u32>,
}

/// What stood against it.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    #[error("refused always: {reason}")]
    Floor { reason: String },
    #[error("refused by approvals.deny: {pattern}")]
    DenyList { pattern: String },
    #[error("denied by the person{}", Said(.reason.as_deref()))]
    Denied { reason: Option<String> },
    #[error("nobody answered within {} seconds", .after.as_secs())]
    TimedOut { after: Duration },
    #[error("the question was cancelled before it was answered")]
    Cancelled,
    #[error("the question could not be put to anybody")]
    Undeliverable,
    #[error("refused: {}", .0.sentence())]
    Policy(Why),
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The word for an outcome in a tool's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Denied,
    Timeout,
    Cancelled,
    NotifyFailed,
    Blocked,
}

impl Outcome {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::NotifyFailed => "notify_failed",
            Self::Blocked => "blocked",
        }
    }
}

/// What a tool's result says besides its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusalFields {
    pub outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub description: String,
    /// Always false.
    pub user_consent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_reason: Option<String>,
}

impl Refusal {
    pub(crate) fn new(cause: impl Into<Cause>) -> Self {
        Self { cause: cause.into(), rule: None, too_many: None }
    }

    pub(crate) fn about(self, rule: Option<String>) -> Self {
        Self { rule, ..self }
    }

    /// What decided, for the record.
    pub(crate) fn by(&self) -> &'static str {
        match &self.cause {
            Cause::Floor { .. } => "floor",
            Cause::DenyList { .. } => "deny-list",
            Cause::Denied { .. } | Cause::TimedOut { .. } => "person",
            Cause::Cancelled => "turn",
            Cause::Undeliverable => "notifier",
            Cause::Policy(why) => why.word(),
            Cause::Journal(_) => "journal",
        }
    }

    pub fn outcome(&self) -> Outcome {
        match &self.cause {
            Cause::Denied { .. } => Outcome::Denied,
            Cause::TimedOut { .. } => Outcome::Timeout,
            Cause::Cancelled => Outcome::Cancelled,
            Cause::Undeliverable | Cause::Policy(Why::NobodyToAsk) => Outcome::NotifyFailed,
            Cause::Floor { .. } | Cause::DenyList { .. } | Cause::Policy(_) | Cause::Journal(_) => Outcome::Blocked,
        }
    }

    pub fn fields(&self) -> RefusalFields {
        let deny_reason = match &self.cause {
            Cause::Denied { reason } => reason.clone(),
            _ => None,
        };
        let (rule, description) = (self.rule.clone(), self.cause.to_string());
        RefusalFields { outcome: self.outcome(), rule, description, user_consent: false, deny_reason }
    }

    /// What a person at a command line is told: also which rule it was.
    pub fn for_person(&self) -> String {
        match (&self.cause, &self.rule) {
            (Cause::Floor { .. }, Some(rule)) => format!("{self} (rule {rule})"),
            _ => self.to_string(),
        }
    }

    /// What the model is told.
    pub fn for_model(&self) -> String {
        let what = self.said();
        match self.too_many {
            Some(count) => format!(
                "STOP. {what}\nThat is refusal number {count} in a row in this session. Call no further tool in this turn: not \
                 this one again, not a variation of it, not another one to the same end. Tell the person what was \
                 refused and what you wanted to achieve, and end your turn."
            ),
            None => format!(
                "{what}\nDo not try it again, do not rephrase it, and do not reach the same result by another command, \
                 tool, script or file. Go on with what does not need it, or tell the person what you wanted to do \
                 and why."
            ),
        }
    }

    /// What happened, ending with who has consented: nobody.
    fn said(&self) -> String {
        const NOBODY: &str = "Nobody has consented to this.";
        match &self.cause {
            Cause::Floor { reason } => {
                format!("This was not run. It is refused whoever asks and whatever is configured: {reason}. {NOBODY}")
            }
            Cause::DenyList { pattern } => {
                format!("This was not run. The operator has forbidden it (approvals.deny: {pattern}). {NOBODY}")
            }
            Cause::Denied { reason: Some(reason) } => {
                format!("This was not run. The person was asked and said no, with this reason: {reason:?}.")
            }
            Cause::Denied { reason: None } => "This was not run. The person was asked and said no.".to_owned(),
            Cause::TimedOut { after } => format!(
                "This was not run. The person was asked and did not answer within {} seconds. Silence is not consent.",
                after.as_secs()
            ),
            Cause::Cancelled => {
                format!("This was not run. The question was cancelled before anybody answered. {NOBODY}")
            }
            Cause::Undeliverable => {
                format!("This was not run. It needs consent, and the question could not be delivered. {NOBODY}")
            }
            Cause::Policy(why) => format!("This was not run: {}. {NOBODY}", why.sentence()),
            Cause::Journal(_) => format!(
                "This was not run, because what is run has to be recorded and the record cannot be written. {NOBODY}"
            ),
        }
    }
}

impl Explain for Refusal {
    fn fault(&self) -> Fault {
        match &self.cause {
            Cause::TimedOut { .. } | Cause::Cancelled | Cause::Undeliverable => Fault::TryAgain,
            _ => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match &self.cause {
            Cause::DenyList { .. } => Some("hermes config get approvals.deny shows the list".to_owned()),
            Cause::Policy(Why::Answered(absence, _)) => {
                Some(format!("hermes config set {} approve", absence.setting()))
            }
            _ => None,
        }
    }
}

/// A reason after a colon, if there is one.
struct Said<'a>(Option<&'a str>);

impl fmt::Display for Said<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |reason| write!(formatter, ": {reason}"))
    }
}
