//! `hermes auth list`.

use clap::Args;

use super::shown::{Shown, table};
use crate::context::Context;
use crate::exit::Failure;

/// List all credentials and where each comes from, never their values
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Print a JSON array of objects with provider, number, id, label, type, source, variable, priority and value
    /// (masked)
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let rows: Vec<Shown> = super::load(&home, context)?.iter().map(Shown::of).collect();
    if typed.json {
        let text = serde_json::to_string_pretty(&rows).map_err(|error| Failure::output(&error.into()))?;
        return context.line(text);
    }
    if rows.is_empty() {
        context.note("no credentials yet; store one with: hermes auth add PROVIDER");
        return Ok(());
    }
    table(&rows).into_iter().try_for_each(|line| context.line(line))
}
