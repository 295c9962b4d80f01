//! What is allowed: pure decisions, no I/O.

pub mod environment;
pub mod rules;
mod shell;
mod verdict;

pub use verdict::{Class, Context, Verdict, judge};
