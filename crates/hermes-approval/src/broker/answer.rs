//! An answer: who gives it, to which question, and what came of it.

use std::collections::BTreeSet;

use hermes_proto::consent::{Consent, Offer, Scope};
use hermes_proto::session::SessionKey;
use hermes_proto::{Explain, Fault};

use super::PromptId;

/// Who may answer the questions of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authorised {
    /// Everybody whom the session's surface lets in.
    Everybody,
    /// These people, by the surface's own ids.
    People(BTreeSet<String>),
}

impl Authorised {
    pub fn only(person: impl Into<String>) -> Self {
        Self::People(BTreeSet::from([person.into()]))
    }

    pub(super) fn includes(&self, person: &str) -> bool {
        match self {
            Self::Everybody => true,
            Self::People(people) => people.contains(person),
        }
    }
}

/// Who answers, as the surface has authenticated them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answerer {
    /// The session in which the answer was given.
    pub session: SessionKey,
    pub person: String,
}

/// Which question is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    Oldest,
    All,
    Id(PromptId),
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Approve(Scope),
    Deny { reason: Option<String> },
}

/// What an answer settled, the oldest question first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub settled: Vec<(PromptId, Consent)>,
}

impl Answered {
    pub fn count(&self) -> usize {
        self.settled.len()
    }
}

/// Why an answer counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("nothing waits for an answer here")]
    NothingPending,
    #[error("you may not answer this question")]
    NotAuthorised,
    #[error("there is no question {0}")]
    UnknownId(PromptId),
    #[error("question {0} is already settled")]
    AlreadySettled(PromptId),
    #[error("question {0} cannot be approved that way")]
    NotOffered(PromptId),
}

impl Explain for AnswerError {
    fn fault(&self) -> Fault {
        match self {
            Self::UnknownId(_) | Self::NotOffered(_) => Fault::Usage,
            Self::NothingPending | Self::NotAuthorised | Self::AlreadySettled(_) => Fault::Failed,
        }
    }
}

impl Answer {
    /// What it means for a question with these offers: never more than was offered.
    pub(super) fn consent(&self, offers: &[Offer]) -> Option<Consent> {
        match self {
            Self::Deny { reason } => Some(Consent::Denied { reason: reason.clone() }),
            Self::Approve(asked) => {
                offers.iter().map(|offer| offer.scope).filter(|scope| scope <= asked).max().map(Consent::Approved)
            }
        }
    }

    /// For the record, without the person's own words.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Approve(scope) => format!("approve {}", scope.name()),
            Self::Deny { .. } => "deny".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;
    use hermes_proto::consent::{Consent, Offer, Scope};

    #[test]
    fn a_scope_that_was_not_offered_becomes_the_widest_one_below_it() {
        use Scope::{Always, Once, Session};
        for (offered, asked, expected) in [
            (&[Once, Session, Always][..], Always, Some(Always)),
            (&[Once, Session], Always, Some(Session)),
            (&[Once, Always], Session, Some(Once)),
            (&[Once], Always, Some(Once)),
            (&[Once, Session, Always], Once, Some(Once)),
            (&[Always], Once, None),
            (&[], Always, None),
        ] {
            let offers: Vec<_> = offered.iter().map(|&scope| Offer { scope, allows: String::new() }).collect();
            let expected = expected.map(Consent::Approved);
            assert_eq!(Answer::Approve(asked).consent(&offers), expected, "{offered:?} {asked:?}");
        }
    }
}
