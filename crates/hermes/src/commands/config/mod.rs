//! `hermes config`: reading and changing config.yaml and `.env`.

mod check;
mod edit;
mod env_path;
mod get;
mod path;
mod set;
mod show;
mod unset;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
Keys are written with dots, such as terminal.timeout; \\. is a dot inside a part, and a number
counts the items of a list. A setting comes from the command line, else from config.yaml, else from
the environment or .env (TERMINAL_TIMEOUT …), else it has its default. ${VAR} in a value stands for
a variable.";

/// Read and change config.yaml and .env
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Typed {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    Show(show::Typed),
    Get(get::Typed),
    Set(set::Typed),
    Unset(unset::Typed),
    Edit(edit::Typed),
    Check(check::Typed),
    Path(path::Typed),
    EnvPath(env_path::Typed),
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    match typed.command {
        Command::Show(typed) => show::run(&typed, context),
        Command::Get(typed) => get::run(&typed, context),
        Command::Set(typed) => set::run(typed, context),
        Command::Unset(typed) => unset::run(&typed, context),
        Command::Edit(typed) => edit::run(&typed, context),
        Command::Check(typed) => check::run(&typed, context),
        Command::Path(typed) => path::run(&typed, context),
        Command::EnvPath(typed) => env_path::run(&typed, context),
    }
}
