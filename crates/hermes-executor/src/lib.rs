//! Runs things beside the commands: one process per session, reached over one link.
//!
//! [`serve()`] is the whole program. Everything in it happens on one thread, except file
//! operations, which may block; it holds no lock and polls nothing.

mod command;
pub mod files;
mod jobs;
mod link;
mod output;
mod private_folder;
mod random;
mod requests;
mod scratch;
mod script;
mod serve;
mod server;
mod session;
mod shell;
mod state;
mod stream;
mod tasks;
mod wardens;

pub use link::{HandshakeError, LinkError};
pub use serve::{Identity, ServeError, serve, take_standard_streams};
