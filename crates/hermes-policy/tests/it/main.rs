//! Policy from outside: verdicts over a corpus, against real bash, and under attack.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod corpus;
mod differential;
mod hostile;
mod sudo;
