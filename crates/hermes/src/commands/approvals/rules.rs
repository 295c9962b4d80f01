//! `hermes approvals rules`: the table of rules.

use clap::Args;
use hermes_policy::rules::{self, Rule};
use serde_json::json;

use crate::context::Context;
use crate::exit::Failure;

/// List the rules: what is refused, what asks first
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// Print JSON, with an example of each rule
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    if typed.json {
        let table: Vec<_> = rules::all().map(entry).collect();
        return context.line(json!(table));
    }
    let width = rules::all().map(|rule| rule.key.len()).max().unwrap_or_default();
    for rule in rules::all() {
        context.line(format_args!("{:5}  {:width$}  {}", rule.class.name(), rule.key, rule.description))?;
    }
    Ok(())
}

fn entry(rule: &Rule) -> serde_json::Value {
    // Some examples are about size, and as long.
    let example = rule.hits.iter().find(|example| example.len() < 200);
    json!({ "rule": rule.key, "verdict": rule.class.name(), "description": rule.description, "example": example })
}
