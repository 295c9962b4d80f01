//! A platform: one folder behind this trait and one row of a table.
//!
//! An adapter authenticates people, turns what they send into [`Incoming`](crate::Incoming) and shows what comes back. It never runs a turn,
//! keeps no queue of its own, and acknowledges a message to its platform only after [`Inbox::accept`] has returned.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hermes_approval::PromptId;
use hermes_proto::consent::Consent;
use tokio_util::sync::CancellationToken;

use crate::{Identifier, Inbox, Outgoing, Platform, Progress, Question, Showing};

/// Work of an adapter that is under way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How long texts are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Characters,
    /// As JavaScript and Telegram count.
    Utf16,
    Bytes,
}

/// Whether a message can be changed after it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edits {
    None,
    /// At most once in this time.
    Every(Duration),
}

/// Whether questions get buttons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buttons {
    None,
    Shown,
}

/// Whether files can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// The chat is told that there is one.
    None,
    /// Of at most so many bytes each.
    UpTo(u64),
}

/// Whether the platform, or the adapter, knows a delivery by its id and shows it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    Recognised,
    /// What may have arrived already is sent again with a mark.
    Shown,
}

/// What a platform can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Longer texts are split before they are handed over.
    pub longest_message: usize,
    pub unit: Unit,
    pub edits: Edits,
    pub buttons: Buttons,
    pub files: Files,
    pub repeats: Repeats,
}

/// What the platform made of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Its id of the new message, if it has one.
    pub message: Option<Identifier>,
}

/// Why something did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryError {
    /// It may work later; after this long if the platform said so.
    #[error("not delivered yet: {cause}")]
    Later { cause: String, after: Option<Duration> },
    /// Nobody knows whether it arrived: it is tried again as something that may be there already.
    #[error("perhaps not delivered: {cause}")]
    Unclear { cause: String },
    /// It will never work: the chat is gone, the bot was thrown out, the text is refused.
    #[error("cannot be delivered: {cause}")]
    Never { cause: String },
}

impl DeliveryError {
    pub fn later(cause: impl fmt::Display) -> Self {
        Self::Later { cause: cause.to_string(), after: None }
    }

    pub fn never(cause: impl fmt::Display) -> Self {
        Self::Never { cause: cause.to_string() }
    }
}

/// Why an adapter stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    /// It is started again after a while.
    #[error("{0}")]
    Interrupted(String),
    /// Somebody has to change something first: a wrong token, a taken port.
    #[error("{0}")]
    NeedsAttention(String),
}

/// A platform.
pub trait Adapter: fmt::Debug + Send + Sync {
    fn platform(&self) -> &Platform;

    fn capabilities(&self) -> Capabilities;

    /// Receives messages until `shutdown`. An adapter that fails is started again, with growing pauses; the others go on.
    fn run(self: Arc<Self>, inbox: Inbox, shutdown: CancellationToken) -> Pending<'static, Result<(), AdapterError>>;

    /// Delivers something that must arrive. Called for one thing per chat at a time, in order.
    fn deliver<'a>(&'a self, outgoing: &'a Outgoing) -> Pending<'a, Result<Receipt, DeliveryError>>;

    /// Puts a question. Done when the platform has taken it.
    fn ask<'a>(&'a self, question: &'a Question) -> Pending<'a, Result<(), DeliveryError>>;

    /// A question to a caller who waits for the turn is no longer open; chats are shown it. Must not block.
    fn closed(&self, _question: &PromptId, _outcome: &Consent) {}

    /// Shows something for the moment. Called for one thing per turn at a time; what comes meanwhile replaces what waits.
    fn show<'a>(&'a self, showing: &'a Showing, progress: &'a Progress) -> Pending<'a, Result<(), DeliveryError>>;
}
