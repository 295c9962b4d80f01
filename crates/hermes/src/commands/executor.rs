//! `hermes executor`: the process that runs beside the commands. Started by Hermes itself.
//!
//! It confines itself before it does anything else, so nothing may come before that: no
//! home, no log, no second thread.

use clap::Args;
use hermes_executor::{Identity, serve, take_standard_streams};
use hermes_proto::{Explain, Fault};
use hermes_sandbox::confine::{self, Confinement};

use crate::context::Context;
use crate::exit::Failure;

/// The version that both ends of a link tell each other.
pub(crate) const BUILD: &str = env!("CARGO_PKG_VERSION");

/// Run beside commands and answer over standard input and output (started by Hermes itself)
#[derive(Debug, Args)]
pub(crate) struct Typed {}

pub(crate) fn run(_typed: Typed, context: &mut Context) -> Result<(), Failure> {
    // Whoever started us stands in a folder that is none of our business, and could not be unmounted while we do too.
    std::env::set_current_dir("/")
        .map_err(|error| Failure::new(Fault::Failed, format_args!("cannot enter /: {error}")))?;
    let (input, output) = take_standard_streams()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("standard streams are missing: {error}")))?;
    let environment = context.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let identity = Identity { build: BUILD.to_owned(), environment };
    let enter = |confinement: &Confinement| confine::enter(confinement).map_err(|error| told(&error));
    Ok(serve(input, output, identity, enter)?)
}

fn told(error: &impl Explain) -> String {
    match error.hint() {
        Some(hint) => format!("{error} (hint: {hint})"),
        None => error.to_string(),
    }
}
