//! What a person's answer can be. Silence is not one of the approvals.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// How far an approval reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// This one command, now.
    Once,
    /// The same finding again, in this session.
    Session,
    /// The same finding again, for good.
    Always,
}

/// The outcome of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consent {
    Approved(Scope),
    Denied {
        reason: Option<String>,
    },
    /// Nobody answered in time.
    TimedOut,
    /// The turn was interrupted while it waited.
    Cancelled,
    /// The question could not be put to anybody.
    Undeliverable,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentRequest {
    /// What would run, as text.
    pub action: String,
    /// Where it would run.
    pub place: String,
    /// Why it needs consent.
    pub finding: String,
}

/// An answer that is on its way.
pub type PendingConsent<'a> = Pin<Box<dyn Future<Output = Consent> + Send + 'a>>;

/// The way to the person of one turn. A value in the turn's context, never looked up.
pub trait Approver: fmt::Debug + Send + Sync {
    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a>;
}

/// For turns behind which there is no person to ask.
#[derive(Debug, Clone, Copy)]
pub struct NobodyToAsk;

impl Approver for NobodyToAsk {
    fn ask<'a>(&'a self, _request: &'a ConsentRequest) -> PendingConsent<'a> {
        Box::pin(std::future::ready(Consent::Undeliverable))
    }
}
