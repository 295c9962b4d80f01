//! One command: started, watched, ended, told.

mod begin;
mod next_shell;
mod output;
mod run;
mod tell;

pub(crate) use next_shell::NextShell;
pub(crate) use run::{describe, run};
