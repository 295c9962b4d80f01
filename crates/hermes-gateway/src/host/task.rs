//! One message on its way through the gateway.

use std::sync::Arc;

use hermes_agent::{Observer, SessionId};
use hermes_proto::session::SessionKey;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio_util::sync::CancellationToken;

use crate::commands::Command;
use crate::delivery::{Body, Letter};
use crate::{Continuing, Ended, Incoming, MessageNumber, Showing};

/// A message, what is to be done about it, and who waits for what comes of it.
#[derive(Debug)]
pub(crate) struct Task {
    /// Whose conversation it belongs to.
    pub(crate) key: SessionKey,
    /// The mailbox it goes through: the conversation's, or one of its own for work beside it.
    pub(crate) mailbox: SessionKey,
    pub(crate) incoming: Arc<Incoming>,
    /// What is to be done, if it is not something to talk about.
    pub(crate) command: Option<Command>,
    pub(crate) claim: Claim,
}

/// To whom an answer is owed.
#[derive(Debug)]
pub(crate) enum Claim {
    /// To the chat, by the ledger.
    Chat(MessageNumber),
    /// To a caller who waits.
    Caller(Attending),
    /// To nobody: something said to a running turn by a caller who does not wait.
    Nobody,
}

/// A caller who waits for a turn.
#[derive(Debug)]
pub(crate) struct Attending {
    pub(crate) observer: Arc<dyn Observer>,
    /// Until the session was told.
    pub(crate) opened: Option<oneshot::Sender<SessionId>>,
    pub(crate) ended: oneshot::Sender<Ended>,
    pub(crate) cancellation: CancellationToken,
    /// One of a bounded number.
    pub(crate) _place: OwnedSemaphorePermit,
}

impl Task {
    pub(crate) fn new(key: SessionKey, incoming: Arc<Incoming>, claim: Claim) -> Self {
        Self { mailbox: key.clone(), key, incoming, command: None, claim }
    }

    pub(crate) fn number(&self) -> Option<MessageNumber> {
        match &self.claim {
            Claim::Chat(number) => Some(*number),
            Claim::Caller(_) | Claim::Nobody => None,
        }
    }

    /// Whether nobody is expected to go on with it soon: a caller's request in a conversation of its own. A thousand of them must not leave
    /// a thousand places open.
    pub(crate) fn is_passing(&self) -> bool {
        let is_own = self.incoming.key.is_none() && matches!(self.incoming.continuing, Continuing::Fresh(_));
        is_own && matches!(self.claim, Claim::Caller(_))
    }

    /// Tells a caller who waits which session it is.
    pub(crate) fn tell_session(&mut self, id: &SessionId) {
        if let Claim::Caller(attending) = &mut self.claim
            && let Some(opened) = attending.opened.take()
        {
            // A caller who does not want to know has dropped it.
            let _ = opened.send(id.clone());
        }
    }

    /// The way back to its chat.
    pub(crate) fn route(&self) -> TaskRoute {
        TaskRoute { key: self.key.clone(), incoming: self.incoming.clone(), number: self.number() }
    }
}

/// Where what comes of a message goes.
#[derive(Debug, Clone)]
pub(crate) struct TaskRoute {
    pub(crate) key: SessionKey,
    pub(crate) incoming: Arc<Incoming>,
    pub(crate) number: Option<MessageNumber>,
}

impl TaskRoute {
    pub(crate) fn letter(&self, body: Body) -> Letter {
        // Another chat knows nothing of the message.
        let is_elsewhere = self.incoming.deliver_to.is_some();
        Letter {
            to: self.incoming.answered_at().clone(),
            session: self.key.clone(),
            turn: self.number.filter(|_| !is_elsewhere),
            reply_to: Some(self.incoming.message.clone()).filter(|_| !is_elsewhere),
            body,
        }
    }

    /// Where progress is shown; nowhere for callers who watch for themselves.
    pub(crate) fn showing(&self) -> Option<Showing> {
        let turn = self.number.filter(|_| self.incoming.deliver_to.is_none())?;
        let to = self.incoming.chat.address.clone();
        Some(Showing { to, turn, reply_to: Some(self.incoming.message.clone()) })
    }
}
