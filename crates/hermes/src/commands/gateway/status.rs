//! `hermes gateway status` and `list`.

use clap::Args;
use hermes_gateway::control::{Answer, Client, Request, Status};
use hermes_home::Home;
use hermes_proto::Fault;
use serde::Serialize;
use serde_json::Value;

use super::homes::chosen;
use super::port::api_port_elsewhere;
use super::runner::Runner;
use super::snapshot::Snapshot;
use crate::commands::store::json;
use crate::context::Context;
use crate::exit::Failure;

/// Whether the gateway runs, and how it is
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The gateways of all profiles
    #[arg(long)]
    all: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// The gateways of all profiles, and the ports of their APIs
#[derive(Debug, Args)]
pub(super) struct ListTyped {
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// A gateway, and what it says itself.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    snapshot: Snapshot,
    /// Unknown if the home's configuration cannot be read.
    api_port: Option<u16>,
    live: Option<Status>,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    show(typed.all, typed.json, context)
}

pub(super) fn list(typed: &ListTyped, context: &mut Context) -> Result<(), Failure> {
    show(true, typed.json, context)
}

fn show(is_all: bool, is_json: bool, context: &mut Context) -> Result<(), Failure> {
    let runner = Runner::of(context)?;
    let mut all = Vec::new();
    for home in chosen(is_all, context)? {
        all.push(look(&home, &runner, context)?);
    }
    match (is_json, is_all, all.as_slice()) {
        (true, false, [one]) => json(context, one),
        (true, _, all) => json(context, &all),
        (false, false, [one]) => tell(one, context),
        (false, _, all) => all.iter().try_for_each(|one| {
            let Snapshot { profile, manager, gateway_pids, .. } = &one.snapshot;
            let number = |number: Option<String>| number.unwrap_or_else(|| "-".to_owned());
            let pid = number(gateway_pids.first().map(ToString::to_string));
            let port = number(one.api_port.map(|port| port.to_string()));
            let mark = if gateway_pids.is_empty() { "✗" } else { "✓" };
            context.line(format_args!("{mark} {profile:24} {pid:>8}  port {port:>5}  {manager}"))
        }),
    }
}

fn look(home: &Home, runner: &Runner, context: &Context) -> Result<Shown, Failure> {
    let snapshot = Snapshot::of(home.name(), home.path(), runner)?;
    let live = match snapshot.gateway_pids.is_empty() {
        false => ask(home)?,
        true => None,
    };
    // One home that has to be mended does not keep the others from being listed.
    let api_port = api_port_elsewhere(home, runner, context).ok();
    Ok(Shown { snapshot, api_port, live })
}

/// What the running gateway says itself; nothing if it does not answer.
fn ask(home: &Home) -> Result<Option<Status>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    let asked = runtime.block_on(async { Client::connect(home.path()).await?.ask(&Request::Status).await });
    Ok(match asked {
        Ok(Answer::Status(status)) => Some(status),
        Ok(_) => None,
        Err(error) => {
            tracing::warn!(%error, "the gateway does not answer");
            None
        }
    })
}

fn tell(shown: &Shown, context: &mut Context) -> Result<(), Failure> {
    let one = &shown.snapshot;
    match one.gateway_pids.first() {
        Some(pid) => context.line(format_args!("✓ Gateway is running (PID: {pid})"))?,
        None => context.line("✗ Gateway is not running")?,
    }
    context.line(format_args!("Manager:      {}", one.manager))?;
    if let Some(state) = one.desired_state {
        context.line(format_args!("Wanted:       {state}"))?;
    }
    if let Some(state) = one.gateway_state.as_ref().and_then(Value::as_str) {
        context.line(format_args!("Last seen:    {state}"))?;
    }
    if let Some(reason) = &one.reason {
        context.line(format_args!("Reason:       {reason}"))?;
    }
    let Some(live) = &shown.live else { return Ok(()) };
    context.line(format_args!("Up:           {} seconds", live.uptime_seconds))?;
    context.line(format_args!("Sessions:     {} running, {} waiting", live.running, live.waiting))?;
    for (platform, state) in &live.platforms {
        let state = serde_json::to_value(state).unwrap_or_default();
        let error = state["error"].as_str().map(|error| format!(": {error}")).unwrap_or_default();
        context
            .line(format_args!("Platform:     {platform} {}{error}", state["state"].as_str().unwrap_or_default()))?;
    }
    Ok(())
}
