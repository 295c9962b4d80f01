//! `hermes sessions rename`.

use clap::Args;

use super::Open;
use crate::context::Context;
use crate::exit::Failure;

/// Give a session a title that no other has
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Id, beginning of an id, title, or latest
    session: String,
    /// The new title; several words need no quotes
    #[arg(required = true, value_name = "TITLE")]
    title: Vec<String>,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let session = open.sessions.find(&typed.session)?;
    let title = open.sessions.rename(&session.id, &typed.title.join(" "))?;
    context.note(format_args!("session {} is called {title:?} now", session.id, title = title.as_str()));
    Ok(())
}
