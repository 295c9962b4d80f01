//! What the dispatcher is told and asked.

use hermes_proto::session::SessionKey;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::task::Task;
use crate::Identifier;

/// Sent to the owner of all mailboxes.
#[derive(Debug)]
pub(crate) enum Order {
    Arrived(Box<Task>),
    Stop { key: SessionKey, done: oneshot::Sender<bool> },
    Steer { key: SessionKey, whom: Steered, text: String, done: oneshot::Sender<bool> },
    Sessions { done: oneshot::Sender<Vec<SessionStatus>> },
}

/// Which turn of a conversation is told something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Steered {
    /// Whichever runs.
    Running,
    /// The one that works on this message, if it runs.
    WorkingOn(Identifier),
}

/// How a conversation stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    Running,
    /// It could run, and waits for one of the places that are bounded.
    Waiting,
}

/// A conversation with something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStatus {
    pub key: SessionKey,
    pub state: SessionState,
    /// Messages that wait behind the running one.
    pub queued: usize,
    /// Seconds since the running turn began.
    pub running_seconds: Option<u64>,
    /// Seconds since the running turn last did something.
    pub quiet_seconds: Option<u64>,
}
