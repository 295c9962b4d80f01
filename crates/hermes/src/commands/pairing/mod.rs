//! `hermes pairing`: who on chat platforms may talk to the gateway without being on a list.

mod approve;
mod clear;
mod list;
mod revoke;

use clap::{Args, Subcommand};
use hermes_gateway::pairing::Pairing;

use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
Somebody unknown who writes to the bot in private gets a code that counts for an hour
(unauthorized_dm_behavior: pair). A gateway that runs knows at once who was let in or thrown out.";

/// Let in people who got a pairing code, or throw them out
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Typed {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Typed),
    Approve(approve::Typed),
    Revoke(revoke::Typed),
    ClearPending(clear::Typed),
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    let pairing = Pairing::of(&context.home()?);
    match typed.command {
        Command::List(typed) => list::run(&typed, &pairing, context),
        Command::Approve(typed) => approve::run(&typed, &pairing, context),
        Command::Revoke(typed) => revoke::run(&typed, &pairing, context),
        Command::ClearPending(typed) => clear::run(&typed, &pairing, context),
    }
}
