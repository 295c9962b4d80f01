//! `hermes env list`.

use clap::Args;

use super::scope::{Owners, Scope};
use super::shown::Shown;
use crate::context::Context;
use crate::exit::Failure;

const HEADINGS: [&str; 7] = ["ID", "STATE", "AGE", "PROFILE", "TASK", "IMAGE", "FILES"];

/// List the containers of all profiles, the oldest first
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Print a JSON array of objects
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let scope = Scope::open(context)?;
    let shown: Vec<Shown> = scope.list(Owners::All)?.iter().map(|listed| Shown::of(listed, &scope)).collect();
    if typed.json {
        let text = serde_json::to_string_pretty(&shown).map_err(|error| Failure::output(&error.into()))?;
        return context.line(text);
    }
    if shown.is_empty() {
        context.note("no containers");
        return Ok(());
    }
    let rows: Vec<[String; 7]> =
        std::iter::once(HEADINGS.map(str::to_owned)).chain(shown.iter().map(Shown::columns)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 7] = std::array::from_fn(width);
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        context.line(cells.join("  ").trim_end())?;
    }
    Ok(())
}
