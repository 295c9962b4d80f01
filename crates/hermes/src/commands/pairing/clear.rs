//! `hermes pairing clear-pending`: forgets the codes that wait.

use clap::Args;
use hermes_gateway::pairing::Pairing;
use serde_json::json;

use crate::context::Context;
use crate::exit::Failure;

/// Forget all codes that wait
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, pairing: &Pairing, context: &mut Context) -> Result<(), Failure> {
    let count = pairing.clear_waiting()?;
    if typed.json {
        return context.line(json!({ "cleared": count }));
    }
    context.note(format_args!("{count} codes are forgotten"));
    Ok(())
}
