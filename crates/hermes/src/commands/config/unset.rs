//! `hermes config unset`: one setting out of config.yaml, one secret out of `.env`.

use clap::Args;
use hermes_home::config::{self, KeyPath};
use hermes_home::dotenv;

use super::get::missing;
use crate::context::Context;
use crate::exit::Failure;

/// Remove one setting, so that its default counts; comments and all other lines stay
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// The setting, such as terminal.timeout
    key: String,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let key: KeyPath = typed.key.parse()?;
    let home = context.home()?;
    if let Some(name) = config::secret_variable(&key)
        && dotenv::unset(&home, &name)?
    {
        context.note(format_args!("{name} was removed from {}", home.env_path().display()));
        return Ok(());
    }
    if config::unset(&home, &context.environment, &key)? { Ok(()) } else { Err(missing(&key)) }
}
