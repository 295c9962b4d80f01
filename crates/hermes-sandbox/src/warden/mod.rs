//! One small process per command that keeps hold of everything the command starts.
//!
//! A process group does not hold what calls `setsid`, and a process tree does not hold what
//! forks twice: its parent is gone and it belongs to init. So a *warden* is forked between
//! the executor and the shell. It is the reaper of all orphans below it, tells the executor
//! at once when the shell has ended, stays until the last descendant is gone, and on an order
//! (SIGTERM, which also comes when the executor dies) ends them all.
//!
//! The warden is a fork, not a program of its own: between `fork` and its end it makes system
//! calls and nothing else, because the executor may have other threads whose locks are
//! copied in whatever state they are.

mod children;
mod guard;
mod launch;
mod report;
mod shell;
mod signals;

pub use children::own_children;
pub use launch::{Launch, LaunchError, Passed, Warden};
pub use report::{REPORT_LENGTH, Report, StartStep};
