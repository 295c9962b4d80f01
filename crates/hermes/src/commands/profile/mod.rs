//! `hermes profile`.

use clap::Args;

use crate::context::Context;
use crate::exit::Failure;

/// Manage profiles: separate homes under one root
#[derive(Debug, Args)]
pub(crate) struct Typed {}

pub(crate) fn run(_typed: Typed, _context: &mut Context) -> Result<(), Failure> {
    Ok(())
}
