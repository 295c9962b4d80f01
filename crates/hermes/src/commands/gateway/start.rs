//! `hermes gateway start`: the gateway in the background, by the service manager that has it or as a process of its own.

use clap::Args;
use hermes_gateway::lifecycle::running;
use hermes_home::intent;

use super::homes::chosen;
use super::runner::Runner;
use crate::context::Context;
use crate::exit::Failure;

/// Start the gateway in the background
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Also those of all profiles that should be running
    #[arg(long)]
    all: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let (own, runner) = (context.home()?, Runner::of(context)?);
    for home in chosen(typed.all, context)? {
        let is_wanted = intent::prior(home.path()).is_running();
        if home != own && (!is_wanted || running(home.path()).is_some()) {
            continue;
        }
        let told = runner.start(&home, context)?;
        context.line(told)?;
    }
    Ok(())
}
