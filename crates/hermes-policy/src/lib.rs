//! What is allowed: pure decisions, no I/O.

pub mod allow_list;
pub mod decide;
pub mod environment;
mod file_write;
mod findings;
mod isolation;
pub mod rules;
mod shell;
pub mod sudo;
mod verdict;
mod visible;

pub use decide::{Decision, Situation, decide, decide_script};
pub use file_write::{file_write_findings, judge_file_write};
pub use findings::{Findings, Found, FoundBy, findings};
pub use isolation::Isolation;
pub use verdict::{Class, Context, SudoPassword, Verdict, judge};
pub use visible::{Newlines, visible};
