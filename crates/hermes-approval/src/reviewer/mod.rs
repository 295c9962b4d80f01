//! A model that looks at flagged commands before a person is bothered: mode `smart`.
//!
//! The command comes from a model that may be hostile, and it is read by a model that can be talked to. So the command is
//! fenced and escaped, shown whole or not at all, and only one clean word spares the person. It is never the last word
//! against them either: what it refuses, a person may still allow once.

mod prompt;
mod word;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use hermes_proto::consent::Finding;

pub use prompt::ReviewPrompt;
pub use word::parse_review;

/// What is reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRequest {
    pub command: String,
    pub place: String,
    pub findings: Vec<Finding>,
    /// `approvals.smart_policy`.
    pub policy_text: String,
}

/// What the reviewer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Review {
    /// This one command, now.
    Approve,
    Deny {
        reason: Option<String>,
    },
    /// Everything else: an error, a doubt, an answer that is not clean.
    Escalate,
}

/// A review that is on its way.
pub type PendingReview<'a> = Pin<Box<dyn Future<Output = Review> + Send + 'a>>;

/// The reviewing model. Whoever implements it asks with [`ReviewRequest::prompt`] at temperature 0 and reads the answer with
/// [`parse_review`]; errors and timeouts are [`Review::Escalate`].
pub trait Reviewer: fmt::Debug + Send + Sync {
    fn review<'a>(&'a self, request: &'a ReviewRequest) -> PendingReview<'a>;
}
