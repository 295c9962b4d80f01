//! `hermes approvals`: what commands may run, and what asks first.

mod check;
mod decision;
mod list;
mod revoke;
mod rules;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
A command is refused (floor), needs consent (ask) or runs (allow). The rules look at what bash would
run, not at the text: quotes, variables, wrappers such as sudo and xargs, and code handed to other
shells are seen through. Nothing is executed to find out.";

/// See which commands are refused, which ask first, and what was allowed
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Typed {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    Check(check::Typed),
    List(list::Typed),
    Revoke(revoke::Typed),
    Rules(rules::Typed),
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    match typed.command {
        Command::Check(typed) => check::run(typed, context),
        Command::List(typed) => list::run(&typed, context),
        Command::Revoke(typed) => revoke::run(&typed, context),
        Command::Rules(typed) => rules::run(&typed, context),
    }
}
