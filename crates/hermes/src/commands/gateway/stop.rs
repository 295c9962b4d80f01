//! `hermes gateway stop` and `restart`.

use clap::Args;
use hermes_gateway::lifecycle::running;
use hermes_home::{Home, intent};
use hermes_proto::Fault;
use hermes_supervise::{ManagerKind, ServiceState};

use super::homes::{chosen, refuse_inside};
use super::runner::{Runner, Stopped};
use crate::context::Context;
use crate::exit::Failure;

/// Stop the gateway and wait for its end
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The gateways of all profiles
    #[arg(long)]
    all: bool,
}

/// Stop the gateway and start it again
#[derive(Debug, Args)]
pub(super) struct RestartTyped {
    /// The gateways of all profiles that are running
    #[arg(long)]
    all: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    refuse_inside(context)?;
    let runner = Runner::of(context)?;
    if typed.all {
        let concerned = |home: &Home, runner: &Runner| {
            let has_service = runner.service(home.name())?.is_some_and(|status| status.state != ServiceState::Absent);
            Ok(has_service || running(home.path()).is_some() || intent::prior(home.path()).is_running())
        };
        let stop = |home: &Home, context: &mut Context| runner.stop(home, context).map(drop);
        return each(&runner, ("stop", "Stopped"), concerned, stop, context);
    }
    let home = context.home()?;
    match runner.stop(&home, context)? {
        Stopped::Process(pid) => context.line(format_args!("✓ Gateway stopped ({}, PID: {pid})", home.name())),
        Stopped::Service => {
            context.line(format_args!("✓ Gateway stopped by {} ({})", runner.kind().description(), home.name()))
        }
        Stopped::WasNotRunning => context.line("✗ Gateway is not running"),
    }
}

pub(super) fn restart(typed: &RestartTyped, context: &mut Context) -> Result<(), Failure> {
    refuse_inside(context)?;
    let runner = Runner::of(context)?;
    if typed.all {
        let concerned = |home: &Home, runner: &Runner| {
            let service = runner.service(home.name())?;
            Ok(running(home.path()).is_some() || service.is_some_and(|status| status.wanted))
        };
        let restart = |home: &Home, context: &mut Context| runner.restart(home, context).map(drop);
        return each(&runner, ("restart", "Restarted"), concerned, restart, context);
    }
    let home = context.home()?;
    let told = runner.restart(&home, context)?;
    context.line(told)
}

/// Does the same to every home it concerns. One that fails does not keep the others from it.
fn each(
    runner: &Runner,
    (verb, done): (&str, &str),
    concerned: impl Fn(&Home, &Runner) -> Result<bool, Failure>,
    act: impl Fn(&Home, &mut Context) -> Result<(), Failure>,
    context: &mut Context,
) -> Result<(), Failure> {
    let (mut succeeded, mut failed) = (0, 0);
    for home in chosen(true, context)? {
        match concerned(&home, runner).and_then(|is| if is { act(&home, context).map(|()| 1) } else { Ok(0) }) {
            Ok(count) => succeeded += count,
            Err(Failure::Told { message, .. }) => {
                failed += 1;
                context.note(format_args!("✗ Could not {verb} gateway-{}: {message}", home.name()));
            }
            Err(failure) => return Err(failure),
        }
    }
    let by = if runner.kind() == ManagerKind::S6 { " under s6" } else { "" };
    match (succeeded, failed) {
        (0, 0) => context.line(format_args!("✗ No gateway to {verb}")),
        (0, _) => Err(Failure::Silent(Fault::Failed)),
        _ => {
            context.line(format_args!("✓ {done} {succeeded} profile gateway(s){by}"))?;
            if failed > 0 { Err(Failure::Silent(Fault::Failed)) } else { Ok(()) }
        }
    }
}
