//! `hermes audit show`.

use clap::Args;
use hermes_proto::Fault;
use hermes_store::audit::{Audit, Recorded, RequestId, Sequence};

use crate::commands::store::json;
use crate::commands::visible::{lines, one_line};
use crate::context::Context;
use crate::exit::Failure;

/// Print everything about one entry, or about one command
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// An entry's number, or a command's request id or its beginning
    #[arg(value_name = "SEQUENCE|REQUEST")]
    what: String,
    /// Print a JSON array of objects
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, audit: &Audit, context: &mut Context) -> Result<(), Failure> {
    let entries = find(audit, typed.what.trim())?;
    if entries.is_empty() {
        let failure = Failure::new(Fault::Failed, format_args!("there is no entry and no command {:?}", typed.what));
        return Err(failure.hint("hermes audit tail shows entries by number; type more of a request id"));
    }
    if typed.json {
        return json(context, &entries);
    }
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            context.line("")?;
        }
        print(entry, context)?;
    }
    Ok(())
}

/// A number is an entry's; the ids of commands never consist of digits alone and are longer.
fn find(audit: &Audit, what: &str) -> Result<Vec<Recorded>, Failure> {
    if let Ok(sequence) = what.parse()
        && let Some(entry) = audit.entry(Sequence(sequence))?
    {
        return Ok(vec![entry]);
    }
    Ok(audit.request(&RequestId::from(what.to_owned()))?)
}

fn print(entry: &Recorded, context: &mut Context) -> Result<(), Failure> {
    let Recorded { sequence, time, kind, request, previous, hash, .. } = entry;
    field(context, "entry", &sequence.to_string())?;
    field(context, "time", &time.to_string())?;
    field(context, "kind", &one_line(kind))?;
    field(context, "request", &one_line(request.as_str()))?;
    for (name, value) in [
        ("session", &entry.session),
        ("who", &entry.who),
        ("surface", &entry.surface),
        ("place", &entry.place),
        ("verdict", &entry.verdict),
        ("rule", &entry.rule),
        ("outcome", &entry.outcome),
    ] {
        if let Some(value) = value {
            field(context, name, &one_line(value))?;
        }
    }
    if let Some(subject) = &entry.subject {
        field(context, "subject", &lines(subject).replace('\n', "\n           "))?;
        if let Some(length) = entry.subject_length.filter(|length| i64::try_from(subject.len()) != Ok(*length)) {
            field(context, "", &format!("(cut; it had {length} bytes)"))?;
        }
    }
    if let Some(detail) = &entry.detail {
        field(context, "detail", &one_line(&detail.to_string()))?;
    }
    field(context, "previous", &previous.to_string())?;
    field(context, "hash", &hash.to_string())
}

fn field(context: &mut Context, name: &str, value: &str) -> Result<(), Failure> {
    context.line(format_args!("{name:9}  {value}"))
}
