//! A whole host over real channels: an adapter that a test holds in its hand, a model server on a socket, a home on disk.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod adapter;
mod approvals;
mod attended;
mod busy;
mod commands;
mod delivery;
mod failures;
mod ground;
mod identity;
mod limits;
mod recovery;
