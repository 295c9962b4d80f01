//! `hermes sessions delete`.

use clap::Args;

use super::Open;
use super::consent::Consent;
use super::list::name;
use crate::context::Context;
use crate::exit::Failure;

/// Delete a session with all its messages
///
/// Asks on a terminal; elsewhere --yes is needed. Sessions that went on from it stay. What it ran stays in the audit chain.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Id, beginning of an id, title, or latest
    session: String,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

pub(super) fn run(typed: &Typed, open: &Open, context: &mut Context) -> Result<(), Failure> {
    let consent = Consent::of(typed.yes, "deleting a session", context)?;
    let session = open.sessions.find(&typed.session)?;
    let question = format!("delete session {} ({} messages) {:?}?", session.id, session.messages, name(&session));
    consent.obtain(&question, context)?;
    open.sessions.delete(&session.id)?;
    context.note(format_args!("deleted session {}", session.id));
    Ok(())
}
