//! `hermes pairing list`: who was let in, and whose code waits.

use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use hermes_gateway::pairing::{Paired, Pairing, Waiting};
use serde_json::json;

use crate::commands::visible::beginning;
use crate::context::Context;
use crate::exit::Failure;

/// Characters of a name.
const SHOWN: usize = 40;

/// List who was let in, and whose code waits
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, pairing: &Pairing, context: &mut Context) -> Result<(), Failure> {
    let now = SystemTime::now();
    let (paired, waiting) = (pairing.paired()?, pairing.waiting(now)?);
    if typed.json {
        let approved: Vec<_> = paired.iter().map(paired_object).collect();
        let pending: Vec<_> = waiting.iter().map(waiting_object).collect();
        return context.line(json!({ "approved": approved, "pending": pending }));
    }
    if paired.is_empty() && waiting.is_empty() {
        context.note("nobody was let in, and no code waits");
        return Ok(());
    }
    let now = now.duration_since(UNIX_EPOCH).map(|since| since.as_secs()).unwrap_or_default();
    for Waiting { platform, person, name, until, .. } in &waiting {
        let (person, name) = (beginning(person, SHOWN), beginning(name, SHOWN));
        let minutes = until.saturating_sub(now).div_ceil(60);
        context.line(format_args!("waits   {platform:10} {person:16} {name} (for {minutes} more minutes)"))?;
    }
    for Paired { platform, person, name, .. } in &paired {
        let (person, name) = (beginning(person, SHOWN), beginning(name, SHOWN));
        context.line(format_args!("let in  {platform:10} {person:16} {name}"))?;
    }
    Ok(())
}

fn paired_object(paired: &Paired) -> serde_json::Value {
    json!({
        "platform": paired.platform.as_str(),
        "user": paired.person,
        "name": paired.name,
        "approved_at": paired.since,
    })
}

fn waiting_object(waiting: &Waiting) -> serde_json::Value {
    json!({
        "platform": waiting.platform.as_str(),
        "user": waiting.person,
        "name": waiting.name,
        "created_at": waiting.since,
        "expires_at": waiting.until,
    })
}
