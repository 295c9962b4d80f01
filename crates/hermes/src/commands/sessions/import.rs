//! `hermes sessions import`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use hermes_store::sessions::import::{Imported, ORIGINAL};

use super::Open;
use crate::commands::store::json;
use crate::context::Context;
use crate::exit::Failure;

/// Take over the sessions of the original from its state.db
///
/// The file is only read. Importing again adds what is new there; a session that has gone on here and
/// there since is left as it is here.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The original's state.db; without it the one in the home
    #[arg(value_hint = ValueHint::FilePath)]
    file: Option<PathBuf>,
    /// Print a JSON object with sessions, continued, messages, diverged and skipped
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let path = typed.file.clone().unwrap_or_else(|| open.kept.home.path().join(ORIGINAL));
    let imported = open.sessions.import(&path)?;
    if typed.json {
        return json(context, &imported);
    }
    let Imported { sessions, continued, messages, diverged, skipped } = imported;
    context.note(format_args!("imported {messages} messages: {sessions} new sessions, {continued} continued"));
    if diverged > 0 {
        context.note(format_args!(
            "{diverged} sessions went on here and there since the last import; theirs were left out"
        ));
    }
    if skipped > 0 {
        context.note(format_args!("{skipped} messages have no place in a transcript and were left out"));
    }
    Ok(())
}
