//! `hermes audit`: what was asked, decided and run, and whether that record is whole.

mod export;
mod show;
mod tail;
mod verify;

use clap::{Args, Subcommand};
use hermes_home::redact::Redactor;
use hermes_store::audit::Audit;

use super::store::Kept;
use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
Every request to run something, the decision about it, its start and its end are entries of a chain:
each carries a hash over all of its content and over the entry before. An entry that is changed,
dropped, moved or cut off is found by verify. Who may write the file can also write a whole new
chain; note the last hash elsewhere, and verify --noted HASH shows that too.
Secrets are taken out before anything is written.";

/// Look into the record of what was run, and check it
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Typed {
    #[command(subcommand)]
    verb: TypedVerb,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum TypedVerb {
    Tail(tail::Typed),
    Show(show::Typed),
    Verify(verify::Typed),
    Export(export::Typed),
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    // Nothing is appended here, so there is nothing to take secrets out of.
    let audit = Audit::open(&Kept::of(context)?.store, Redactor::default());
    match &typed.verb {
        TypedVerb::Tail(typed) => tail::run(typed, &audit, context),
        TypedVerb::Show(typed) => show::run(typed, &audit, context),
        TypedVerb::Verify(typed) => verify::run(typed, &audit, context),
        TypedVerb::Export(typed) => export::run(typed, &audit, context),
    }
}
