//! `hermes approvals list`: what was allowed for good.

use clap::Args;
use hermes_approval::PermanentGrants;
use hermes_policy::allow_list::Grant;
use hermes_policy::{Newlines, visible};
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::Failure;

/// List what was allowed for good: the entries of command_allowlist
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// Print a JSON array of objects
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let entries = PermanentGrants::of(&home, &context.environment).entries()?;
    if typed.json {
        let list: Vec<_> = entries.iter().enumerate().map(|(index, entry)| object(index + 1, entry)).collect();
        return context.line(json!(list));
    }
    if entries.is_empty() {
        context.note("nothing is allowed for good");
        return Ok(());
    }
    let digits = entries.len().to_string().len();
    for (index, entry) in entries.iter().enumerate() {
        let meaning = match Grant::parse(entry) {
            Ok(grant) => format!("allows {}", grant.allows()),
            Err(why) => format!("allows nothing: it {why}"),
        };
        context.line(format_args!("{:digits$}  {}", index + 1, shown(entry)))?;
        context.line(format_args!("{:digits$}  {}", "", shown(&meaning)))?;
    }
    Ok(())
}

/// An entry as it can be shown on one line.
pub(super) fn shown(entry: &str) -> String {
    visible(entry, Newlines::Shown).into_owned()
}

fn object(number: usize, entry: &str) -> Value {
    let (kind, allows, problem) = match Grant::parse(entry) {
        Ok(grant) => (Some(kind(&grant)), Some(grant.allows()), None),
        Err(why) => (None, None, Some(why.to_string())),
    };
    json!({ "number": number, "entry": entry, "kind": kind, "allows": allows, "problem": problem })
}

fn kind(grant: &Grant) -> &'static str {
    match grant {
        Grant::Command(_) => "command",
        Grant::Glob(_) => "pattern",
        Grant::Rule(_) => "rule",
    }
}
