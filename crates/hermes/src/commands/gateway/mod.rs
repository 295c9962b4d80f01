//! `hermes gateway`: many conversations at once, behind chat platforms and an API.

mod detached;
mod homes;
mod install;
mod port;
mod run;
mod runner;
mod snapshot;
mod start;
mod status;
mod stop;

pub(crate) use runner::Runner;
pub(crate) use snapshot::Snapshot;

use std::time::Duration;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::exit::Failure;

/// What a gateway may take to end besides what its turns may take: requests of the API, deliveries, places that it has opened.
const BESIDES: Duration = Duration::from_secs(90);

const AFTER_HELP: &str = "\
Exit codes of run: 0 stopped or replaced, 1 ended by a signal that nobody announced (to be started again), 75 wants to be
started again, 78 configuration to be mended.
Files in the home: gateway.pid, gateway.lock, gateway_state.json, gateway.sock; gateway_intent.json has what start and stop asked for.";

/// Serve conversations behind chat platforms and an API
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Typed {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Action {
    Run(run::Typed),
    Start(start::Typed),
    Stop(stop::Typed),
    Restart(stop::RestartTyped),
    Status(status::Typed),
    List(status::ListTyped),
    Install(install::Typed),
    Uninstall(install::UninstallTyped),
}

pub(crate) fn run(typed: Typed, context: &mut Context) -> Result<(), Failure> {
    match typed.action {
        None => run::run(&run::Typed::default(), context),
        Some(Action::Run(typed)) => run::run(&typed, context),
        Some(Action::Start(typed)) => start::run(&typed, context),
        Some(Action::Stop(typed)) => stop::run(&typed, context),
        Some(Action::Restart(typed)) => stop::restart(&typed, context),
        Some(Action::Status(typed)) => status::run(&typed, context),
        Some(Action::List(typed)) => status::list(&typed, context),
        Some(Action::Install(typed)) => install::run(&typed, context),
        Some(Action::Uninstall(typed)) => install::uninstall(&typed, context),
    }
}
