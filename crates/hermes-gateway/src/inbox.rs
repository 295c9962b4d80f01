//! The way in: an adapter hands a message over, and when that returns it is on disk.

use std::path::Path;
use std::sync::Arc;

use hermes_agent::{Observer, Registry, SessionId, TurnEnd};
use hermes_approval::{Answer, AnswerError, Answered, Answerer, PromptId, Which};
use hermes_proto::session::{InvalidSessionKey, SessionKey};
use hermes_proto::{Explain, Fault};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::host::{Front, LedgerError};
use crate::metrics::Metrics;
use crate::session_key::ReservedKey;
use crate::{AdapterHealth, Identifier, Incoming, MessageNumber, SessionStatus, Steered};

/// What became of a message that was handed over. Either way it need not be handed over again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is on disk, and will have one reply or one notice.
    New(MessageNumber),
    /// It was accepted before.
    Repeated,
}

/// Why a message was not accepted. It must not be acknowledged to its platform.
#[derive(Debug, thiserror::Error)]
pub enum NotAccepted {
    #[error("it belongs to no conversation: {0}")]
    Key(#[from] InvalidSessionKey),
    #[error(transparent)]
    Reserved(#[from] ReservedKey),
    #[error("a message of {0} bytes is too long")]
    TooLong(usize),
    #[error("too many messages of this conversation wait already")]
    ConversationFull,
    #[error("too many messages wait already")]
    Full,
    #[error("the gateway is stopping")]
    Stopping,
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a message cannot be written: {0}")]
    Unwritable(String),
}

impl Explain for NotAccepted {
    fn fault(&self) -> Fault {
        match self {
            Self::Key(_) | Self::Reserved(_) | Self::TooLong(_) => Fault::Usage,
            Self::ConversationFull | Self::Full | Self::Stopping => Fault::TryAgain,
            Self::Ledger(LedgerError::Store(error)) => error.fault(),
            Self::Ledger(LedgerError::Broken) | Self::Unwritable(_) => Fault::Failed,
        }
    }
}

/// Why a turn that somebody waited for has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TurnFailure {
    #[error("{message}")]
    Failed { message: String, fault: FailureKind },
    #[error("the turn did nothing for too long and was ended")]
    Stalled,
    #[error("the turn failed unexpectedly")]
    Crashed,
    #[error("the gateway is stopping")]
    Stopping,
}

/// Whose fault a failed turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The model or its provider.
    Model,
    /// The gateway or its home.
    Gateway,
    /// Whoever asked.
    Caller,
}

/// What came of a turn that somebody waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The session that the turn belonged to, once there was one.
    pub session: Option<SessionId>,
    pub model: Option<String>,
    pub end: Result<TurnEnd, TurnFailure>,
}

/// A turn that somebody waits for.
#[derive(Debug)]
pub struct Attended {
    pub key: SessionKey,
    /// Stops the turn.
    pub cancellation: CancellationToken,
    /// Tells the session once it is open; nothing if the turn ends before.
    pub opened: oneshot::Receiver<SessionId>,
    pub ended: oneshot::Receiver<Ended>,
}

/// The gateway as adapters see it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Inbox {
    front: Arc<Front>,
}

impl Inbox {
    pub(crate) fn new(front: Arc<Front>) -> Self {
        Self { front }
    }

    /// Takes a message over; on disk when this returns.
    pub async fn accept(&self, incoming: Incoming) -> Result<Accepted, NotAccepted> {
        self.front.accept(incoming).await
    }

    /// Works on a message whose sender waits for the answer and takes it here: nothing is delivered, and nothing is promised
    /// before it has ended.
    pub async fn attend(&self, incoming: Incoming, observer: Arc<dyn Observer>) -> Result<Attended, NotAccepted> {
        self.front.attend(incoming, observer).await
    }

    /// The key that this message's conversation has.
    pub fn key(&self, incoming: &Incoming) -> Result<SessionKey, NotAccepted> {
        self.front.key(incoming)
    }

    /// Somebody pressed a button, or answered a question in another way than by `/approve`. `session` is the question's.
    pub async fn answer(
        &self,
        session: SessionKey,
        person: &Identifier,
        question: PromptId,
        answer: Answer,
    ) -> Result<Answered, AnswerError> {
        let by = Answerer { session, person: person.to_string() };
        self.front.answer(by, Which::Id(question), answer).await
    }

    /// Stops what runs in a conversation; whether anything did.
    pub async fn stop(&self, session: &SessionKey) -> bool {
        self.front.stop(session).await
    }

    /// Tells a running turn of a conversation something; whether there was one that takes it.
    pub async fn steer(&self, session: &SessionKey, whom: Steered, text: String) -> bool {
        self.front.steer(session, whom, text).await
    }

    /// The conversations that have something to do.
    pub async fn sessions(&self) -> Vec<SessionStatus> {
        self.front.sessions().await
    }

    /// How the adapters are.
    pub fn health(&self) -> AdapterHealth {
        self.front.health().borrow().clone()
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        self.front.metrics()
    }

    /// All tools that sessions may use.
    pub fn tools(&self) -> &Registry {
        self.front.tools()
    }

    /// Whether it takes nothing more.
    pub fn is_stopping(&self) -> bool {
        self.front.is_closing()
    }

    /// Where files that come with messages are put, private.
    pub fn attachments(&self) -> &Path {
        self.front.attachments()
    }
}
