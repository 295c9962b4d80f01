//! What is allowed: pure decisions, no I/O.

pub mod environment;
