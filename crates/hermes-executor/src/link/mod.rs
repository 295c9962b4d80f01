//! The stream of frames between the runtime and this executor.

mod handshake;
mod incoming;
mod outbox;

pub use handshake::HandshakeError;
pub(crate) use handshake::{accept, answer, refuse};
pub(crate) use incoming::Incoming;
pub use incoming::LinkError;
pub(crate) use outbox::{Outbox, write_frames};
