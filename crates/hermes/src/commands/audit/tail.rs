//! `hermes audit tail`.

use clap::Args;
use hermes_store::audit::{Audit, Recorded};

use crate::commands::store::json;
use crate::commands::visible::{beginning, one_line, second};
use crate::context::Context;
use crate::exit::Failure;

const LONGEST_SUBJECT: usize = 120;

/// Print the newest entries, one line each
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// How many
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Print a JSON array of objects
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, audit: &Audit, context: &mut Context) -> Result<(), Failure> {
    let entries = audit.tail(typed.lines)?;
    if typed.json {
        return json(context, &entries);
    }
    if entries.is_empty() {
        context.note("nothing has been run yet");
    }
    entries.iter().try_for_each(|entry| context.line(line(entry)))
}

/// Position, moment, kind, verdict, outcome, and how the subject begins.
fn line(entry: &Recorded) -> String {
    let Recorded { verdict, rule, outcome, subject, place, .. } = entry;
    let mut words = vec![format!("{:>6}", entry.sequence), second(entry.time), format!("{:8}", one_line(&entry.kind))];
    let verdict: Vec<String> = [verdict, rule].into_iter().flatten().filter(|text| !text.is_empty()).cloned().collect();
    words.extend(Some(one_line(&verdict.join(" "))).filter(|text| !text.is_empty()));
    words.extend([place, outcome].into_iter().flatten().map(|text| one_line(text)));
    words.extend(subject.as_ref().map(|text| beginning(text, LONGEST_SUBJECT)));
    words.join("  ").trim_end().to_owned()
}
