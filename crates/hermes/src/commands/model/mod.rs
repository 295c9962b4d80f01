//! `hermes model`: which model answers, what there is to choose from, and choosing.

mod list;
mod show;
mod use_model;

use clap::{Args, Subcommand};
use hermes_home::config::{self, Overrides};
use hermes_model::resolve::Sources;

use crate::context::Context;
use crate::exit::Failure;

const AFTER_HELP: &str = "\
Without a verb: show. Where nothing is configured the built-in model answers; it needs neither key nor network.
A provider is known by its name (hermes auth list), or described in config.yaml:

    providers:
      lab: {base_url: http://127.0.0.1:8000/v1, key_env: LAB_API_KEY}";

/// Show, list and choose the model that answers
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Typed {
    #[command(subcommand)]
    verb: Option<TypedVerb>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum TypedVerb {
    Show(show::Typed),
    List(list::Typed),
    Use(use_model::Typed),
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    match &typed.verb {
        None => show::run(&show::Typed::default(), context),
        Some(TypedVerb::Show(typed)) => show::run(typed, context),
        Some(TypedVerb::List(typed)) => list::run(typed, context),
        Some(TypedVerb::Use(typed)) => use_model::run(typed, context),
    }
}

/// Configuration and credentials as they are now.
fn sources(context: &Context) -> Result<Sources, Failure> {
    let home = context.home()?;
    let loaded = config::load(&home, &context.environment, &Overrides::none())?;
    Ok(Sources::read(&home, &context.environment, loaded.config)?)
}

/// Text from a file or a server, with nothing in it that a terminal would obey.
fn printable(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { '?' } else { character }).collect()
}
