//! A whole host over real channels: an adapter that a test holds in its hand, a model server on a socket, a home on disk.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod adapter;
mod api;
mod approvals;
mod attended;
mod busy;
mod clarify;
mod commands;
mod delivery;
mod failures;
mod files;
mod ground;
mod identity;
mod limits;
mod pairing;
mod recovery;
mod telegram;
mod webhook;
