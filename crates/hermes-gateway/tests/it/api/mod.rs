//! The HTTP API over real sockets.

mod approvals;
mod attacks;
mod bounds;
mod caller;
mod chat;
mod client;
mod document;
mod health;
mod identity;
mod key;
mod responses;
mod runs;
mod served;
mod sessions;
mod stream;
