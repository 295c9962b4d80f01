//! `hermes sessions show`.

use clap::Args;
use hermes_store::sessions::Stored;
use serde_json::json;

use super::{Open, markdown};
use crate::commands::store;
use crate::context::Context;
use crate::exit::Failure;

/// Print a session with its messages
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Id, beginning of an id, title, or latest
    #[arg(default_value = "latest")]
    session: String,
    /// Also messages that a summary has taken the place of
    #[arg(long)]
    all: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let session = open.sessions.find(&typed.session)?;
    let messages: Vec<Stored> = match typed.all {
        true => open.sessions.everything(&session.id)?,
        false => open.sessions.transcript(&session.id)?.messages,
    };
    if typed.json {
        return store::json(context, &json!({ "session": session, "messages": messages }));
    }
    context.print(markdown::document(&session, &messages))
}
