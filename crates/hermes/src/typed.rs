//! What was typed: the command line as clap reads it, before anything is checked.
//!
//! Describing all commands to clap takes longer than most of them run. They are deferred: each is
//! described when it is the one that was typed, and all of them only to answer with help or an error.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, ValueHint};

use crate::commands::{Command, chat, executor};

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
    /// Reads the arguments of this program. Help and wrong usage are errors, to be printed.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        if let Some(executor) = Self::executor() {
            return Ok(executor);
        }
        match Self::try_parse() {
            Err(answer) if answer.kind() != ErrorKind::DisplayVersion => Self::read_with_all_described(),
            read => read,
        }
    }

    /// An executor, as this program starts it. A first command waits for it, and with it for every page of clap that it would touch.
    fn executor() -> Option<Self> {
        let mut arguments = std::env::args_os().skip(1);
        let is_executor = arguments.next()? == "executor" && arguments.next().is_none();
        let (global, chat) = (Global { profile: None, verbose: 0 }, chat::Flags::default());
        is_executor.then_some(Self { global, chat, command: Some(Command::Executor(executor::Typed {})) })
    }

    /// A command that is not described yet has no line in the help of the one above it.
    fn read_with_all_described() -> Result<Self, clap::Error> {
        let mut command = Self::command();
        command.build();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
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
