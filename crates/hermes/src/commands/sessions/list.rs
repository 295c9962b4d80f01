//! `hermes sessions list`.

use clap::Args;
use hermes_store::sessions::import::ORIGINAL;
use hermes_store::sessions::{Listing, Session};

use super::Open;
use crate::commands::store::json;
use crate::commands::visible::{beginning, one_line, second};
use crate::context::Context;
use crate::exit::Failure;

const HEADINGS: [&str; 5] = ["ID", "SOURCE", "MESSAGES", "USED", "TITLE"];
const LONGEST_TITLE: usize = 60;

/// List sessions, the one used last first
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Only those that came from here, such as cli or telegram
    #[arg(long, value_name = "SOURCE")]
    source: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Print a JSON array of objects
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let listed = open.sessions.list(&Listing { source: typed.source.clone(), ..Listing::newest(typed.limit) })?;
    mention_original(open, context)?;
    if typed.json {
        return json(context, &listed);
    }
    if listed.is_empty() {
        context.note("no sessions");
        return Ok(());
    }
    let rows: Vec<[String; 5]> =
        std::iter::once(HEADINGS.map(str::to_owned)).chain(listed.iter().map(columns)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 5] = std::array::from_fn(width);
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        context.line(cells.join("  ").trim_end())?;
    }
    Ok(())
}

/// The title, or how it began.
pub(super) fn name(session: &Session) -> String {
    let text = session.title.as_ref().or(session.preview.as_ref());
    text.map(|text| beginning(text, LONGEST_TITLE)).unwrap_or_default()
}

fn columns(session: &Session) -> [String; 5] {
    let Session { id, source, messages, updated, .. } = session;
    [one_line(id.as_str()), one_line(source), messages.to_string(), second(*updated), name(session)]
}

fn mention_original(open: &Open, context: &Context) -> Result<(), Failure> {
    let original = open.kept.home.path().join(ORIGINAL);
    if original.is_file() && !open.sessions.was_imported(&original)? {
        context.note(format_args!(
            "{} has sessions that are not listed here; hermes sessions import takes them over",
            original.display()
        ));
    }
    Ok(())
}
