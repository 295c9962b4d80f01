//! `hermes sessions stats`.

use clap::Args;

use super::Open;
use crate::commands::profile::human_size;
use crate::commands::store::json;
use crate::commands::visible::{one_line, second};
use crate::context::Context;
use crate::exit::Failure;

/// Count sessions, messages and tokens
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let stats = open.sessions.stats()?;
    if typed.json {
        return json(context, &stats);
    }
    let usage = stats.usage;
    context.line(format_args!("sessions    {}", stats.sessions))?;
    context.line(format_args!("messages    {}", stats.messages))?;
    context.line(format_args!("tool calls  {}", stats.tool_calls))?;
    context.line(format_args!("tokens in   {} ({} cached)", usage.input, usage.cached_input))?;
    context.line(format_args!("tokens out  {} ({} reasoning)", usage.output, usage.reasoning))?;
    if let (Some(oldest), Some(newest)) = (stats.oldest, stats.newest) {
        context.line(format_args!("from        {} to {}", second(oldest), second(newest)))?;
    }
    context.line(format_args!("store       {}", human_size(u64::try_from(stats.bytes).unwrap_or_default())))?;
    for source in &stats.sources {
        let name = one_line(&source.source);
        context.line(format_args!("  {name}: {} sessions, {} messages", source.sessions, source.messages))?;
    }
    Ok(())
}
