//! `hermes sessions`: conversations that are kept.

mod consent;
mod delete;
mod export;
mod import;
mod list;
mod markdown;
mod prune;
mod rename;
mod show;
mod stats;

use clap::{Args, Subcommand};
use hermes_store::sessions::Sessions;

use super::store::Kept;
use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
A session is named by its id, the beginning of its id, its title, or latest for the one used last.
Sessions are in hermes.db in the home; those of the original, in state.db, are taken over by import.";

/// See, name, export and remove conversations
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Typed {
    #[command(subcommand)]
    verb: TypedVerb,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum TypedVerb {
    List(list::Typed),
    Show(show::Typed),
    Export(export::Typed),
    Rename(rename::Typed),
    Delete(delete::Typed),
    Prune(prune::Typed),
    Stats(stats::Typed),
    Import(import::Typed),
}

/// The sessions of a home, and the home.
struct Open {
    kept: Kept,
    sessions: Sessions,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let kept = Kept::of(context)?;
    let open = Open { sessions: Sessions::open(&kept.store), kept };
    match &typed.verb {
        TypedVerb::List(typed) => list::run(typed, &open, context),
        TypedVerb::Show(typed) => show::run(typed, &open, context),
        TypedVerb::Export(typed) => export::run(typed, &open, context),
        TypedVerb::Rename(typed) => rename::run(typed, &open, context),
        TypedVerb::Delete(typed) => delete::run(typed, &open, context),
        TypedVerb::Prune(typed) => prune::run(typed, &open, context),
        TypedVerb::Stats(typed) => stats::run(typed, &open, context),
        TypedVerb::Import(typed) => import::run(typed, &open, context),
    }
}
