//! `hermes gateway status` and `list`.

use clap::Args;
use hermes_gateway::control::{Answer, Client, Request, Status};
use hermes_gateway::lifecycle::{GatewayState, running};
use hermes_home::Home;
use hermes_proto::Fault;
use serde::Serialize;
use serde_json::Value;

use super::homes::chosen;
use super::systemctl::Systemctl;
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

/// The gateways of all profiles
#[derive(Debug, Args)]
pub(super) struct ListTyped {
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// What can be seen of a gateway.
#[derive(Debug, Serialize)]
struct Snapshot {
    profile: String,
    manager: &'static str,
    service_installed: bool,
    service_running: bool,
    gateway_pids: Vec<u32>,
    service_scope: &'static str,
    desired_state: Option<Value>,
    gateway_state: Option<Value>,
    exit_reason: Option<Value>,
    live: Option<Status>,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    show(typed.all, typed.json, context)
}

pub(super) fn list(typed: &ListTyped, context: &mut Context) -> Result<(), Failure> {
    show(true, typed.json, context)
}

fn show(is_all: bool, is_json: bool, context: &mut Context) -> Result<(), Failure> {
    let mut snapshots = Vec::new();
    for home in chosen(is_all, context)? {
        snapshots.push(snapshot(&home, context)?);
    }
    match (is_json, is_all, snapshots.as_slice()) {
        (true, false, [one]) => json(context, one),
        (true, _, all) => json(context, &all),
        (false, false, [one]) => tell(one, context),
        (false, _, all) => all.iter().try_for_each(|one| {
            let pid = one.gateway_pids.first().map_or_else(|| "-".to_owned(), ToString::to_string);
            let mark = if one.gateway_pids.is_empty() { "✗" } else { "✓" };
            context.line(format_args!("{mark} {:24} {pid:>8}  {}", one.profile, one.manager))
        }),
    }
}

fn snapshot(home: &Home, context: &Context) -> Result<Snapshot, Failure> {
    let owner = running(home.path());
    let systemctl = Systemctl::installed(home, context);
    let service_running = systemctl.as_ref().is_some_and(Systemctl::is_active);
    let state = GatewayState::read(home.path());
    let field = |name: &str| state.value().get(name).filter(|value| !value.is_null()).cloned();
    let live = match owner {
        Some(_) => ask(home)?,
        None => None,
    };
    Ok(Snapshot {
        profile: home.name().to_string(),
        manager: if systemctl.is_some() { "systemd (user)" } else { "manual process" },
        service_installed: systemctl.is_some(),
        service_running,
        gateway_pids: owner.iter().map(|owner| owner.pid).collect(),
        service_scope: if systemctl.is_some() { "user" } else { "" },
        desired_state: field("desired_state"),
        gateway_state: field("gateway_state"),
        exit_reason: field("exit_reason"),
        live,
    })
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

fn tell(one: &Snapshot, context: &mut Context) -> Result<(), Failure> {
    match one.gateway_pids.first() {
        Some(pid) => context.line(format_args!("✓ Gateway is running (PID: {pid})"))?,
        None => context.line("✗ Gateway is not running")?,
    }
    context.line(format_args!("Manager:      {}", one.manager))?;
    if let Some(state) = one.desired_state.as_ref().and_then(Value::as_str) {
        context.line(format_args!("Wanted:       {state}"))?;
    }
    if let Some(state) = one.gateway_state.as_ref().and_then(Value::as_str) {
        context.line(format_args!("Last seen:    {state}"))?;
    }
    let Some(live) = &one.live else { return Ok(()) };
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
