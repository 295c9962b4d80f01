//! `hermes gateway run`: the gateway itself, in the foreground.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hermes_approval::{Broker, Yolo};
use hermes_gateway::control::LocalAdapter;
use hermes_gateway::lifecycle::systemd::Manager;
use hermes_gateway::lifecycle::{
    GatewayState, Observed, ObservedState, Ownership, StopReason, pause_before_start, replace,
};
use hermes_gateway::platforms::api::is_wanted;
use hermes_gateway::platforms::{self, Setup};
use hermes_gateway::{Host, HostParts, Service};
use hermes_home::Home;
use hermes_home::config::{ApprovalMode, Config};
use hermes_home::dotenv;
use hermes_model::resolve::Asked;
use hermes_proto::Fault;
use hermes_supervise::redirect::{self, Supervision};
use hermes_supervise::{is_yes, places, ports, slot};

use super::BESIDES;
use super::runner::Runner;
use crate::commands::compose::{Composed, Wanted};
use crate::context::Context;
use crate::exit::Failure;

/// What a supervised gateway needs to say goodbye, of the time after which it is killed.
const FAREWELL: Duration = Duration::from_secs(3);
/// For somebody who means it.
const ALLOW_ROOT: &str = "HERMES_ALLOW_ROOT_GATEWAY";

/// Run the gateway in the foreground
#[derive(Debug, Default, Args)]
pub(super) struct Typed {
    /// Take the place of the gateway that runs in this home
    #[arg(long)]
    replace: bool,
    /// Start even if it was started too often in a short time
    #[arg(long)]
    force: bool,
    /// In the container: be the gateway instead of starting the supervised one
    #[arg(long)]
    no_supervise: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    if is_redirected(typed, context)? {
        return start_supervised(context);
    }
    refuse_root(context)?;
    let home = context.home()?;
    context.note(format_args!("Hermes Gateway Starting ({})", home.name()));
    let ownership = if typed.replace { replace(home.path(), BESIDES)? } else { Ownership::take(home.path())? };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("no runtime: {error}")))?;
    let record = ownership.record().clone();
    let outcome = runtime.block_on(serve(typed, context, &home, ownership));
    runtime.shutdown_background();
    match outcome {
        Ok(StopReason::Planned | StopReason::Takeover) => Ok(()),
        Ok(StopReason::Restart) => Err(Failure::Silent(Fault::TryAgain)),
        Ok(StopReason::Unexpected) => Err(Failure::Silent(Fault::Failed)),
        Err(failure) => {
            let exit_reason = match &failure {
                Failure::Told { message, .. } => Some(message.clone()),
                _ => None,
            };
            let observed = Observed { exit_reason, ..Observed::new(ObservedState::StartupFailed) };
            if let Err(error) = GatewayState::observe(home.path(), &record, &observed) {
                tracing::warn!(%error, "the state of the gateway cannot be kept");
            }
            Err(failure)
        }
    }
}

/// In the container the supervised gateway is started instead, unless this is it.
fn is_redirected(typed: &Typed, context: &Context) -> Result<bool, Failure> {
    if !places::is_image() {
        return Ok(false);
    }
    let flag = if typed.no_supervise { Supervision::Refused } else { Supervision::Wanted };
    Ok(redirect::is_redirected(Runner::of(context)?.kind(), flag, &context.environment))
}

/// The supervised gateway runs or crashes; this process only keeps the container.
fn start_supervised(context: &mut Context) -> Result<(), Failure> {
    let told = Runner::of(context)?.start(&context.home()?, context)?;
    context.note(format_args!("{told}\n{}", redirect::NOTICE));
    redirect::keep_container()
}

/// What a gateway of root's writes, the supervised one cannot read.
fn refuse_root(context: &Context) -> Result<(), Failure> {
    let is_allowed = context.environment.text(ALLOW_ROOT).is_some_and(is_yes);
    if !places::is_image() || !rustix::process::geteuid().is_root() || is_allowed {
        return Ok(());
    }
    Err(Failure::new(Fault::Configuration, "a gateway does not run as root in this image")
        .hint(format_args!("use docker exec --user hermes, or allow it with -e {ALLOW_ROOT}=1")))
}

async fn serve(typed: &Typed, context: &mut Context, home: &Home, ownership: Ownership) -> Result<StopReason, Failure> {
    let observed = Observed::new(ObservedState::Starting);
    GatewayState::observe(home.path(), ownership.record(), &observed)?;
    let is_supervised = redirect::is_supervised(&context.environment);
    // Who supervises also slows down, and knows an explicit start from a crash.
    let pause = if is_supervised { Duration::ZERO } else { pause_before_start(home.path())? };
    if !pause.is_zero() && !typed.force {
        context.note(format_args!("note: started too often; waiting {} seconds", pause.as_secs()));
        tokio::time::sleep(pause).await;
    }
    let wanted = Wanted {
        asked: Asked::default(),
        toolsets: None,
        folder: None,
        repository: None,
        max_turns: None,
        yolo: Yolo::Off,
    };
    let composed = Composed::of(context, &wanted)?;
    composed.notes.iter().for_each(|note| context.note(format_args!("note: {note}")));
    if let Some(warning) = unguarded(&composed.config) {
        tracing::warn!("{warning}");
        context.note(format_args!("warning: {warning}"));
    }
    let manager = Manager::of(context.environment.get("NOTIFY_SOCKET"), context.environment.text("WATCHDOG_USEC"))
        .unwrap_or_else(|error| {
            tracing::warn!(%error, "systemd cannot be told anything");
            None
        });
    let local = Arc::new(LocalAdapter::new().map_err(|error| Failure::new(Fault::Failed, error))?);
    let drain = Duration::from_secs(composed.config.agent.restart_drain_timeout);
    let drain = if is_supervised { drain.min(slot::TIME_TO_END.saturating_sub(FAREWELL)) } else { drain };
    let host = Host::new(parts(composed, context, local.clone())?);
    let service = Service { home: home.clone(), ownership, host, local, manager, drain };
    Ok(service.run().await?)
}

fn parts(composed: Composed, context: &Context, local: Arc<LocalAdapter>) -> Result<HostParts, Failure> {
    let sources = Arc::new(composed.sources);
    let written = dotenv::load(&composed.home)?;
    let setup = Setup {
        root: &context.root()?,
        home: &composed.home,
        config: &composed.config,
        store: &composed.store,
        sources: &sources,
        default_api_port: match composed.home.profile() {
            // A profile that serves no API needs no port.
            Some(name) if is_wanted(&composed.config) => ports::port_of(&context.root()?, name)?,
            _ => composed.config.gateway.api_server.port,
        },
        variable: &|name| context.environment.text(name).or_else(|| written.get(name)).map(ToOwned::to_owned),
    };
    let mut adapters = platforms::configured(&setup)?;
    adapters.push(local);
    Ok(HostParts {
        broker: Broker::new(composed.audit),
        agent: composed.agent,
        guard: composed.guard,
        store: composed.store,
        home: composed.home,
        config: composed.config,
        sources,
        adapters,
    })
}

/// What stands between people far away and a dangerous command, if it is only those people.
fn unguarded(config: &Config) -> Option<&'static str> {
    let is_manual = config.approvals.mode == ApprovalMode::Manual;
    let has_reviewer = config.auxiliary.get("approval").is_some_and(|task| !task.model.is_empty());
    (is_manual && !config.security.tirith_enabled && !has_reviewer).then_some(
        "approvals.mode is manual, and neither a command scanner (security.tirith_enabled) nor a reviewing model \
         (auxiliary.approval) is configured: every dangerous command waits for a person",
    )
}
