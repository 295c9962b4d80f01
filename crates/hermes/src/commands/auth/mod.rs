//! `hermes auth`: the credentials of model providers.

mod add;
mod list;
mod remove;
mod shown;
mod status;

use clap::{Args, Subcommand};
use hermes_home::credentials::{Credential, ProviderId, exposures};
use hermes_home::{Home, credentials};

use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
A provider's key can be stored here (auth.json), stand in .env of the home, or be exported to this
program: OPENROUTER_API_KEY, ANTHROPIC_API_KEY, OPENAI_API_KEY … All three count, in that order.";

/// Manage model providers' credentials
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
    Add(add::Typed),
    Remove(remove::Typed),
    Status(status::Typed),
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    match typed.verb {
        TypedVerb::List(typed) => list::run(&typed, context),
        TypedVerb::Add(typed) => add::run(&typed, context),
        TypedVerb::Remove(typed) => remove::run(&typed, context),
        TypedVerb::Status(typed) => status::run(&typed, context),
    }
}

/// All credentials, with a warning about every file of them that others may read.
fn load(home: &Home, context: &Context) -> Result<Vec<Credential>, Failure> {
    let all = credentials::list(home, &context.environment)?;
    for exposure in exposures(home) {
        context.note(format_args!("warning: {exposure}; mend it with: {}", exposure.hint()));
    }
    Ok(all)
}

/// The provider that was typed: a known one, or any that something is stored for.
fn provider(typed: &str, all: &[Credential]) -> Result<ProviderId, Failure> {
    match all.iter().find(|one| one.provider.as_str() == typed) {
        Some(one) => Ok(one.provider.clone()),
        None => Ok(typed.parse()?),
    }
}
