//! `hermes config show`: every setting with the value in force.

use clap::Args;
use hermes_home::config::{self, Value};

use crate::context::Context;
use crate::exit::Failure;

/// Print every setting with the value in force, secrets masked
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// Print JSON instead of YAML
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let home = context.home()?;
    let shown = config::show(&home, &context.environment)?;
    if typed.json {
        return context.line(format_args!("{shown:#}"));
    }
    context.line(Value::from_json(&shown))
}
