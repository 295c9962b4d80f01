//! `hermes sessions prune`.

use clap::Args;
use hermes_store::Time;
use serde_json::json;

use super::Open;
use super::consent::Consent;
use crate::context::Context;
use crate::exit::Failure;

/// Delete the sessions that nobody has used for a while
///
/// Asks on a terminal; elsewhere --yes is needed. The store's file is made smaller afterwards unless
/// sessions.vacuum_after_prune is off.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Not used for this many days; sessions.retention_days of the configuration without it
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
    /// Only those that came from here, such as cli or telegram
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// Only tell how many there are
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Print a JSON object with the number of sessions that were deleted
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let settings = &open.kept.config.sessions;
    let days = typed.older_than.unwrap_or(settings.retention_days);
    let (moment, source) = (Time::now().days_before(days), typed.source.as_deref());
    let old = open.sessions.unused_since(moment, source)?;
    let what = format!("{} not used for {days} days", counted(old.len()));
    if typed.dry_run {
        return told(typed, context, "would_delete", old.len(), &format!("{what} would be deleted"));
    }
    if old.is_empty() {
        return told(typed, context, "deleted", 0, &format!("no sessions that were not used for {days} days"));
    }
    Consent::of(typed.yes, "pruning sessions", context)?.obtain(&format!("delete {what}?"), context)?;
    let deleted = open.sessions.prune(moment, source)?;
    if settings.vacuum_after_prune {
        open.kept.store.vacuum()?;
    }
    told(typed, context, "deleted", deleted, &format!("deleted {}", counted(deleted)))
}

fn counted(sessions: usize) -> String {
    format!("{sessions} {}", if sessions == 1 { "session" } else { "sessions" })
}

fn told(typed: &Typed, context: &mut Context, name: &str, count: usize, text: &str) -> Result<(), Failure> {
    if typed.json {
        return context.line(json!({ name: count }));
    }
    context.note(text);
    Ok(())
}
