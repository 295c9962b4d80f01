//! What was typed: the command line as clap reads it, before anything is checked.

use clap::{Args, Parser, ValueHint};

use crate::commands::{Command, chat};
use crate::context::usage;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
Exit codes: 0 done, 1 failed, 2 wrong usage, 75 try again later, 78 configuration to be mended.
Files: $HERMES_HOME (default ~/.hermes) holds config.yaml, .env, auth.json, hermes.db, logs/ and profiles/.";

/// Hermes runs language-model agents that use commands and code, for many people
/// at once, each kept apart from the others, from the host's secrets and from harm.
#[derive(Debug, Parser)]
#[command(name = "hermes", version, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Typed {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Without a command it is a chat.
    #[command(flatten)]
    pub(crate) chat: chat::Flags,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Typed {
    /// The flags of a chat belong to a chat. (Were clap told so, `-p` before a command would be a conflict, too.)
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.command.is_some() && self.chat != chat::Flags::default() {
            return Err(usage("the options of a chat come after the command, or without one"));
        }
        Ok(())
    }
}

/// Options that every command takes.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Use this profile's home instead of the active one
    #[arg(short, long, global = true, value_name = "NAME", value_hint = ValueHint::Other)]
    pub(crate) profile: Option<String>,
    /// Say more on standard error (-v what is done, -vv every detail)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}
