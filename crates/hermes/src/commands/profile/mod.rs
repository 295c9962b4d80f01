//! `hermes profile`: the homes of one root.

mod create;
mod delete;
mod export;
mod import;
mod left_out;
mod list;
mod progress;
mod rename;
mod show;
mod size;
mod use_profile;

pub(super) use size::human as human_size;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
Which home a command uses: the one of -p NAME (-p default for the default home), else the
profile that HERMES_HOME points at, else the active profile (hermes profile use NAME), else
the default home.
A name has 1 to 64 characters out of a-z, 0-9, _ and -; the first is a letter or a digit.";

/// Manage profiles: separate homes under one root
///
/// A profile is a home of its own, with its own configuration, credentials, memory, skills and
/// conversations. It lies in profiles/NAME of the default home.
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
    Create(create::Typed),
    Use(use_profile::Typed),
    Show(show::Typed),
    Rename(rename::Typed),
    Delete(delete::Typed),
    Export(export::Typed),
    Import(import::Typed),
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    match typed.verb {
        TypedVerb::List(typed) => list::run(&typed, context),
        TypedVerb::Create(typed) => create::run(&typed, context),
        TypedVerb::Use(typed) => use_profile::run(&typed, context),
        TypedVerb::Show(typed) => show::run(&typed, context),
        TypedVerb::Rename(typed) => rename::run(&typed, context),
        TypedVerb::Delete(typed) => delete::run(&typed, context),
        TypedVerb::Export(typed) => export::run(typed, context),
        TypedVerb::Import(typed) => import::run(typed, context),
    }
}
