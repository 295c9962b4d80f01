//! Sessions that outlive the program that uses them: one process of a home holds their
//! environments, and others reach them over a private socket.
//!
//! Whoever can speak on that socket runs commands as the user. It stands in the private home, is
//! private itself, and the kernel is asked who connects. The words on it are those of a link,
//! with the same flow control, so nothing that a caller does or leaves undone makes the
//! holder's memory grow, and no caller can end more than its own connection.

mod attachment;
mod claim;
mod connection;
mod credit;
mod error;
mod follow;
mod holder;
mod incoming;
mod input;
mod lease;
mod opening;
mod sessions;
#[cfg(test)]
mod tests;

pub use attachment::Attachment;
pub use claim::Claim;
pub use error::HeldError;
pub use holder::Holder;
pub use sessions::{MakeEnvironment, Terms};
