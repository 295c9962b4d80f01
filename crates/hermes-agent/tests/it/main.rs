//! Drives whole turns with a model that follows a script.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod answers;
mod calls;
mod child;
mod compression;
mod control;
mod delegation;
mod ground;
mod interrupts;
mod killed;
mod prompt;
mod review;
mod script;
mod tool;
mod tools;
