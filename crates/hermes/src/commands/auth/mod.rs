//! `hermes auth`.

use clap::Args;

use crate::context::Context;
use crate::exit::Failure;

/// Manage model providers' credentials
#[derive(Debug, Args)]
pub(crate) struct Typed {}

pub(crate) fn run(_typed: Typed, _context: &mut Context) -> Result<(), Failure> {
    Ok(())
}
