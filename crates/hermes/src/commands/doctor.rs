//! `hermes doctor`.

use clap::Args;

use crate::context::Context;
use crate::exit::Failure;

/// Check this machine and this home, and say what to mend
#[derive(Debug, Args)]
pub(crate) struct Typed {}

pub(crate) fn run(_typed: Typed, _context: &mut Context) -> Result<(), Failure> {
    Ok(())
}
