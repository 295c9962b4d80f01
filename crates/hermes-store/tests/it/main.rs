//! Drives the crate from outside: other processes, kills, damaged and foreign files.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod child;
mod file;
mod killed;
mod writers;
