//! The guard and the broker, driven as an agent, a terminal and a chat drive them.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod asking;
mod broker;
mod grants;
mod permanent;
mod place;
mod questions;
mod record;
mod refusals;
mod scanner;
mod scripts;
mod smart;
mod sudo;
mod support;
