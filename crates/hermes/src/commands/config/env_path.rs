//! `hermes config env-path`: where `.env` is.

use clap::Args;

use crate::context::Context;
use crate::exit::Failure;

/// Print the path of .env
#[derive(Debug, Args)]
pub(crate) struct Typed {}

pub(crate) fn run(_: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    context.line(home.env_path().display())
}
