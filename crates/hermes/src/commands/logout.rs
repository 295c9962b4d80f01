//! `hermes logout`.

use clap::Args;

use crate::context::Context;
use crate::exit::Failure;

/// Replaced by hermes auth
#[derive(Debug, Args)]
pub(crate) struct Typed {}

pub(crate) fn run(_typed: Typed, _context: &mut Context) -> Result<(), Failure> {
    Ok(())
}
