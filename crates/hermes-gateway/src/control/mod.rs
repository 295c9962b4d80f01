//! The control socket: `gateway.sock` in the home, one JSON value per line.
//!
//! Through it the command line sees and steers the running gateway, and programs of the same account can talk to it as to a chat. Whoever
//! is not that account is sent away by what the kernel says about the other end, whatever the file's mode has become.

mod client;
mod line;
mod local;
mod message;
mod serve;
mod socket;

pub use client::{Client, ControlError};
pub use local::LocalAdapter;
pub use message::{Answer, Request, Status};
pub use serve::Control;
pub(crate) use serve::serve;
pub use socket::ControlSocket;
