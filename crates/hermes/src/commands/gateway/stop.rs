//! `hermes gateway stop` and `restart`.

use std::time::Duration;

use clap::Args;
use hermes_gateway::lifecycle::{DesiredState, GatewayState, StopReason, stop};
use hermes_home::Home;
use hermes_home::config::{self, Overrides};
use hermes_proto::Fault;

use super::homes::{chosen, refuse_inside};
use super::start::start;
use super::systemctl::Systemctl;
use crate::context::Context;
use crate::exit::Failure;

/// What a gateway may take to end besides what its turns may take.
const BESIDES: Duration = Duration::from_secs(60);

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
    let mut failures = 0;
    for home in chosen(typed.all, context)? {
        if typed.all && GatewayState::read(home.path()).value().is_empty() {
            continue;
        }
        GatewayState::desire(home.path(), DesiredState::Stopped)?;
        match end(&home, context) {
            Ok(Some(pid)) => context.line(format_args!("✓ Gateway stopped ({}, PID: {pid})", home.name()))?,
            Ok(None) if typed.all => {}
            Ok(None) => context.line("✗ Gateway is not running")?,
            Err(failure) if typed.all => {
                failures += 1;
                if let Failure::Told { message, .. } = failure {
                    context.note(format_args!("✗ Could not stop {}: {message}", home.name()));
                }
            }
            Err(failure) => return Err(failure),
        }
    }
    if failures > 0 { Err(Failure::Silent(Fault::Failed)) } else { Ok(()) }
}

pub(super) fn restart(typed: &RestartTyped, context: &mut Context) -> Result<(), Failure> {
    refuse_inside(context)?;
    for home in chosen(typed.all, context)? {
        if typed.all && hermes_gateway::lifecycle::running(home.path()).is_none() {
            continue;
        }
        GatewayState::desire(home.path(), DesiredState::Running)?;
        if let Some(systemctl) = Systemctl::installed(&home, context) {
            systemctl.run("restart")?;
            context.line(format_args!("✓ Gateway restarted by systemd ({})", home.name()))?;
            continue;
        }
        end(&home, context)?;
        start(&home, context)?;
    }
    Ok(())
}

/// Ends the gateway of a home; the process that it was.
fn end(home: &Home, context: &Context) -> Result<Option<u32>, Failure> {
    let config = config::load(home, &context.environment, &Overrides::default())?.config;
    let patience = BESIDES + Duration::from_secs(config.agent.restart_drain_timeout);
    Ok(stop(home.path(), StopReason::Planned, patience)?.map(|owner| owner.pid))
}
