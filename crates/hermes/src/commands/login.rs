//! `hermes login`: says what replaced it, whatever an old script adds to it.

use std::ffi::OsString;

use clap::Args;
use hermes_proto::Fault;

use crate::context::Context;
use crate::exit::Failure;

/// Replaced by hermes auth
#[derive(Debug, Args)]
pub(crate) struct Typed {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _ignored: Vec<OsString>,
}

pub(crate) fn run(_typed: Typed, _context: &mut Context) -> Result<(), Failure> {
    Err(Failure::new(Fault::Failed, "hermes login has been replaced by hermes auth")
        .hint("store a key with: hermes auth add PROVIDER; see what there is with: hermes auth list"))
}
