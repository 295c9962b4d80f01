//! The person behind a turn, asked what was meant.
//!
//! Not the approver: an answer here is information and never consent.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// What the model wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub text: String,
    /// Answers to choose from; another one can always be given. Empty for an open question.
    pub choices: Vec<String>,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Said(String),
    /// The person did not want to choose.
    Declined,
    /// Nobody answered in time.
    TimedOut,
    Cancelled,
    /// There is nobody.
    Nobody,
}

/// An answer that is on its way.
pub type PendingAnswer<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// The way to the person.
pub trait Person: fmt::Debug + Send + Sync {
    fn clarify<'a>(&'a self, question: &'a Question) -> PendingAnswer<'a>;

    /// What the person has said since it was asked last, while the turn went on. The model is told with its next request.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// For turns behind which there is nobody.
#[derive(Debug, Clone, Copy)]
pub struct NobodyAnswers;

impl Person for NobodyAnswers {
    fn clarify<'a>(&'a self, _question: &'a Question) -> PendingAnswer<'a> {
        Box::pin(std::future::ready(Answer::Nobody))
    }
}
