//! `hermes env`: the containers that commands of agents run in.

mod age;
mod list;
mod prune;
mod scope;
mod shown;
mod stop;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::exit::Failure;

/// See, stop and remove the containers that commands run in
///
/// A container belongs to a profile and a task, and outlives the program unless
/// terminal.docker_persist_across_processes is off. Its files in /root and /workspace are in the
/// home (sandboxes/docker/TASK) and are never removed here.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Typed {
    #[command(subcommand)]
    verb: TypedVerb,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum TypedVerb {
    List(list::Typed),
    Stop(stop::Typed),
    Prune(prune::Typed),
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    match &typed.verb {
        TypedVerb::List(typed) => list::run(typed, context),
        TypedVerb::Stop(typed) => stop::run(typed, context),
        TypedVerb::Prune(typed) => prune::run(typed, context),
    }
}
