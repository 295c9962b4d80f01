//! What is said on the control socket.

use hermes_proto::session::SessionKey;
use serde::{Deserialize, Serialize};

use crate::{AdapterHealth, Content, DeliveryId, Identifier, SessionStatus};

/// What can be asked of a running gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    Status,
    Sessions,
    /// Stops what runs in a conversation.
    Stop {
        session: SessionKey,
    },
    /// Tells the running turn of a conversation something.
    Steer {
        session: SessionKey,
        text: String,
    },
    /// Ends the gateway: nothing more is accepted, running turns end within their budget.
    Drain {
        restart: bool,
    },
    /// A message on the platform `local`.
    Say {
        chat: Identifier,
        user: Identifier,
        id: Identifier,
        text: String,
    },
    /// From here on this connection gets what is delivered on the platform `local`, and acknowledges it.
    Listen,
    /// A delivery has arrived.
    Ack {
        delivery: DeliveryId,
    },
}

/// How a gateway is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub pid: u32,
    pub version: String,
    pub uptime_seconds: u64,
    pub is_draining: bool,
    pub running: usize,
    pub waiting: usize,
    pub platforms: AdapterHealth,
}

/// What a gateway answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Answer {
    Status(Status),
    Sessions {
        sessions: Vec<SessionStatus>,
    },
    /// Whether there was something to do it to.
    Done {
        found: bool,
    },
    Accepted {
        repeated: bool,
    },
    Refused {
        cause: String,
    },
    Delivery {
        id: DeliveryId,
        chat: Identifier,
        session: SessionKey,
        reply_to: Option<Identifier>,
        content: Content,
    },
    Question {
        id: String,
        chat: Identifier,
        session: SessionKey,
        text: String,
    },
    Progress {
        chat: Identifier,
        text: String,
    },
}
