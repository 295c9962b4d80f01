//! `hermes approvals revoke`: takes back what was allowed for good.

use std::io;

use clap::{ArgGroup, Args};
use hermes_approval::PermanentGrants;
use hermes_proto::Fault;

use super::list::shown;
use crate::context::{Context, usage};
use crate::exit::Failure;

/// Take back what was allowed for good
///
/// Asks on a terminal. Whatever is taken back is asked about again from the next command on, in programs that run already
/// too.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true))]
pub(crate) struct Typed {
    /// The entry as hermes approvals list shows it, or its number there
    #[arg(value_name = "ENTRY|NUMBER", group = "which", allow_hyphen_values = true)]
    entry: Option<String>,
    /// All of them
    #[arg(long, group = "which")]
    all: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let grants = PermanentGrants::of(&home, &context.environment);
    let entries = grants.entries()?;
    let meant = match &typed.entry {
        Some(which) => vec![pick(&entries, which)?.to_owned()],
        None => entries,
    };
    if meant.is_empty() {
        context.note("nothing is allowed for good");
        return Ok(());
    }
    if !typed.yes && context.can_ask() {
        ask(&meant, context)?;
    }
    for entry in &meant {
        if grants.revoke(entry)? {
            tracing::info!(entry, "revoked");
            context.note(format_args!("revoked {}", shown(entry)));
        }
    }
    Ok(())
}

/// The entry of this text, else of this number.
fn pick<'a>(entries: &'a [String], which: &str) -> Result<&'a str, Failure> {
    if let Some(entry) = entries.iter().find(|entry| *entry == which) {
        return Ok(entry);
    }
    let Ok(number) = which.parse::<usize>() else {
        return Err(Failure::new(Fault::Failed, format_args!("{} was not allowed for good", shown(which)))
            .hint("hermes approvals list shows what was"));
    };
    let entry = number.checked_sub(1).and_then(|index| entries.get(index)).map(String::as_str);
    entry.ok_or_else(|| {
        usage(format_args!("there are {} entries, and no number {number}", entries.len()))
            .hint("hermes approvals list shows them")
    })
}

fn ask(meant: &[String], context: &Context) -> Result<(), Failure> {
    let what = match meant {
        [one] => shown(one),
        several => format!("all {} entries", several.len()),
    };
    context.prompt(format_args!("revoke {what}? [y/N] "));
    let mut answer = String::new();
    let read = io::stdin().read_line(&mut answer);
    read.map_err(|error| Failure::new(Fault::Failed, format_args!("cannot read the answer: {error}")))?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(Fault::Failed, "nothing was revoked")),
    }
}
