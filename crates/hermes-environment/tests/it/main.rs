//! Docker environments: the contract against a docker that records, and the same on a real engine.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod beyond;
mod contract;
mod logged;
mod permits;
mod real;
mod support;
