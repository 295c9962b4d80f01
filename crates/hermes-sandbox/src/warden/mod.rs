//! One small process per command that keeps hold of everything the command starts.
//!
//! A process group does not hold what calls `setsid`, and a process tree does not hold what
//! forks twice: its parent is gone and it belongs to init. So a *warden* is made between
//! the executor and the shell. It is the reaper of all orphans below it, tells the executor
//! at once when the shell has ended, stays until the last descendant is gone, and on an order
//! (SIGTERM, which also comes when the executor dies) ends them all.
//!
//! The warden is not a program of its own, and not a copy of the executor either: copying its page tables
//! would cost a tenth of what a command takes. It is a process that shares the executor's memory and has its own
//! descriptors, signals and stack. So until its end it makes system calls and nothing else, without
//! the C library, whose error number and locks it would share (`raw`); and what it works with is freed
//! only when it has been reaped ([`Memory`]).

mod children;
mod guard;
mod launch;
mod orders;
mod raw;
mod report;
mod shell;
mod signals;

pub use children::own_children;
pub use launch::{GRACE, Launch, LaunchError, Passed, Warden};
pub use orders::Memory;
pub use report::{REPORT_LENGTH, Report, StartStep};
