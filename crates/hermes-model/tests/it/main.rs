//! Models as the agent uses them, against a scripted server on a real socket.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod answers;
mod failures;
mod requests;
mod support;
mod tls;
