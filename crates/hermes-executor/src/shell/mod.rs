//! bash, started so that a session's state goes in and comes out again.

mod environment;
mod plain;
mod script;
mod start;

pub(crate) use environment::given;
pub(crate) use plain::is_plain;
pub(crate) use script::{Command, Keeps, Script, told};
pub(crate) use start::{Shell, StartError, open_nothing};
