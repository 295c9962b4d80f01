//! One script: staged, started, served, ended, told.
//!
//! A script is Python that nobody has read line by line. It runs like a command, under a warden and in
//! the same confinement, and asks for tools over a socket of its own; each call goes up the link
//! and is judged there like any other.

mod begin;
mod calls;
mod captured;
mod gate;
mod interpreter;
mod launch;
mod module;
mod peer;
mod run;
mod staging;

pub(crate) use run::run;
