//! One command: started, watched, ended, told.

mod begin;
mod output;
mod run;
mod tell;

pub(crate) use run::{describe, run};
