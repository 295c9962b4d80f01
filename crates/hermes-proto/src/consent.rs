//! What a person is asked, and what the answer can be. Silence is not one of the approvals.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Secret;

/// How far an approval reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This one command, now.
    Once,
    /// The same again, in this session.
    Session,
    /// The same again, for good.
    Always,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Once, Self::Session, Self::Always];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
        }
    }
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
    /// The turn was interrupted, or the surface closed, while it waited.
    Cancelled,
    /// The question could not be put to anybody.
    Undeliverable,
}

/// What kind of thing would be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    Command,
    BackgroundJob,
    JobInput,
    Script,
    FileWrite,
    FileRead,
}

impl ActionKind {
    /// In words for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::BackgroundJob => "background job",
            Self::JobInput => "input of a background job",
            Self::Script => "script",
            Self::FileWrite => "file write",
            Self::FileRead => "file read",
        }
    }
}

/// Why something needs consent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// A rule's key, or `tirith:<rule>`.
    pub key: String,
    /// One line for people.
    pub reason: String,
    /// The part of the action it is about, if that is known.
    pub about: String,
}

/// An answer that can be given, and exactly what it would allow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    pub scope: Scope,
    /// In words: `this command, now`.
    pub allows: String,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentRequest {
    /// What ties it to its entries in the audit record. Two questions that differ in nothing else are the same question.
    pub request: String,
    pub kind: ActionKind,
    /// What would run, exactly. Whoever shows it makes control characters visible.
    pub action: String,
    /// Where it would run.
    pub place: String,
    pub findings: Vec<Finding>,
    /// The narrowest first.
    pub offers: Vec<Offer>,
    /// How long the question waits.
    pub patience: Duration,
}

/// A secret that only the person of this turn can give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretRequest {
    /// What it is for: `password for sudo`.
    pub purpose: String,
    pub patience: Duration,
}

/// Whether there is anybody at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    Person,
    Nobody,
}

/// An answer that is on its way.
pub type PendingConsent<'a> = Pin<Box<dyn Future<Output = Consent> + Send + 'a>>;

/// A secret that is on its way; `None` when it was not given.
pub type PendingSecret<'a> = Pin<Box<dyn Future<Output = Option<Secret>> + Send + 'a>>;

/// The way to the person of one turn. A value in the turn's context, never looked up.
pub trait Approver: fmt::Debug + Send + Sync {
    fn reach(&self) -> Reach;

    /// Puts the question. Whoever waits gives up by dropping the future; the question is then withdrawn.
    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a>;

    /// Asks for a secret without showing it. Only a terminal can.
    fn ask_secret<'a>(&'a self, _request: &'a SecretRequest) -> PendingSecret<'a> {
        Box::pin(std::future::ready(None))
    }
}

/// The way to somebody who is not asked for secrets.
#[derive(Debug)]
pub struct WithoutSecrets(Arc<dyn Approver>);

impl WithoutSecrets {
    pub fn new(approver: Arc<dyn Approver>) -> Self {
        Self(approver)
    }
}

impl Approver for WithoutSecrets {
    fn reach(&self) -> Reach {
        self.0.reach()
    }

    fn ask<'a>(&'a self, request: &'a ConsentRequest) -> PendingConsent<'a> {
        self.0.ask(request)
    }
}

/// For turns behind which there is no person to ask.
#[derive(Debug, Clone, Copy)]
pub struct NobodyToAsk;

impl Approver for NobodyToAsk {
    fn reach(&self) -> Reach {
        Reach::Nobody
    }

    fn ask<'a>(&'a self, _request: &'a ConsentRequest) -> PendingConsent<'a> {
        Box::pin(std::future::ready(Consent::Undeliverable))
    }
}
