//! Many people at once, each in a conversation of their own, behind chat platforms and an API.
//!
//! An [`Adapter`] hands messages to its [`Inbox`], which puts them on disk. The [`Host`] works on them: one turn of a conversation at a
//! time, conversations side by side, each turn with a context made from its message alone. What it has to say is on disk before
//! it is delivered, and delivered once.

mod adapter;
mod admission;
mod commands;
pub mod control;
mod delivery;
mod files;
mod host;
mod identifier;
mod inbox;
mod incoming;
pub mod lifecycle;
mod metrics;
mod origin;
mod outgoing;
pub mod pairing;
mod platform;
pub mod platforms;
mod service;
mod session_key;
mod stored;

pub use adapter::{
    Adapter, AdapterError, Buttons, Capabilities, DeliveryError, Edits, Files, Pending, Receipt, Repeats, Unit,
};
pub use host::{
    AdapterHealth, AdapterState, Host, HostParts, HostView, LedgerError, SessionState, SessionStatus, Steered,
};
pub use identifier::{Identifier, InvalidIdentifier};
pub use inbox::{Accepted, Attended, Ended, FailureKind, Inbox, NotAccepted, TurnFailure};
pub use incoming::{Attachment, Continuing, Incoming};
pub use origin::{Address, Chat, ChatKind, Person, Role};
pub use outgoing::{
    Attempt, Content, DeliveryId, MessageNumber, Outgoing, OutgoingFile, Part, Progress, Question, Showing,
};
pub use platform::{InvalidPlatform, Platform};
pub use service::{Service, ServiceError};
pub use session_key::{KeyRules, ReservedKey, Sharing};
