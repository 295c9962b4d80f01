//! Docker environments with the program's own executor, on a real engine.
//!
//! These tests need an engine that answers and the image `debian:bookworm-slim`; without them
//! they fail and say so. Every container they make carries a profile of its own test, and is
//! removed with it.

mod attacks;
mod commands;
mod engine;
mod local_sandbox;
mod processes;
mod recovery;
mod reuse;
mod script;
mod support;

pub(crate) use script::place_with_python;
pub(crate) use support::{Place, output, quiet_hermes};
