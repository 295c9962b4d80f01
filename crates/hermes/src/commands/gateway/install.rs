//! `hermes gateway install` and `uninstall`: a unit of systemd for this account.

use std::io;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use hermes_home::config::{self, Overrides};
use hermes_proto::Fault;
use hermes_supervise::systemd::{UnitPlan, unit, unit_name, unit_path};
use hermes_supervise::{ManagerKind, ServiceError, ServiceManager, SystemdUser, places};

use super::BESIDES;
use super::homes::refuse_inside;
use super::runner::Runner;
use crate::context::{Context, usage};
use crate::exit::Failure;

/// Install the gateway as a service of systemd
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Print a unit for the whole system instead, to be installed by root
    #[arg(long)]
    system: bool,
    /// The account of a unit for the whole system
    #[arg(long, value_name = "NAME", requires = "system")]
    account: Option<String>,
    /// Replace a unit that is there
    #[arg(long)]
    force: bool,
}

/// Remove the gateway's service
#[derive(Debug, Args)]
pub(super) struct UninstallTyped {}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    if let Some(explanation) = in_container(context)? {
        return context.line(explanation);
    }
    let (home, root) = (context.home()?, context.root()?);
    let config = config::load(&home, &context.environment, &Overrides::default())?.config;
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(Fault::Failed, format_args!("where this program is: {error}")))?;
    let account = typed.account.as_deref().or_else(|| context.environment.text("USER"));
    if typed.system && account.is_none() {
        return Err(usage("--system needs an account").hint("give one with --account NAME"));
    }
    let text = unit(&UnitPlan {
        program: &program,
        root: root.path(),
        home: home.name(),
        stop_budget: BESIDES + Duration::from_secs(config.agent.restart_drain_timeout),
        watchdog_seconds: config.gateway.systemd_watchdog_seconds,
        account: account.filter(|_| typed.system).map(str::to_owned).as_deref(),
    });
    if typed.system {
        context.note(format_args!("note: put this into /etc/systemd/system/{}", unit_name(home.name())));
        return context.print(text);
    }
    let path = unit_path(&context.environment, home.name()).ok_or_else(|| usage("HOME is not set"))?;
    write(&path, &text, typed.force)?;
    context.line(format_args!("✓ Installed {}", path.display()))?;
    match SystemdUser::find(&context.environment, &root) {
        Some(systemd) => {
            warn(systemd.enable(home.name()), context);
            context.note("note: start it with: hermes gateway start; to keep it running when you log out: loginctl enable-linger");
        }
        None => context.note("note: systemd does not answer here; the unit is there for when it does"),
    }
    Ok(())
}

/// In a container there is nothing to install; what there is instead.
fn in_container(context: &Context) -> Result<Option<&'static str>, Failure> {
    Ok(match Runner::of(context)?.kind() {
        ManagerKind::S6 => Some(
            "Gateways in this container are supervised by s6, and every profile has a slot: there is nothing to install or remove.\n\
             A slot comes with `hermes profile create NAME` and goes with `hermes profile delete NAME`; `hermes gateway start` and \
             `stop` say whether it runs, also after the next start of the container.",
        ),
        _ if places::is_image() => Some(
            "This container has no supervisor, so there is no service to install. Let Docker start it again: \
             docker run --restart unless-stopped IMAGE gateway run",
        ),
        ManagerKind::SystemdUser | ManagerKind::None => None,
    })
}

/// The unit's file is what counts; systemd is told as far as it listens.
fn warn(outcome: Result<(), ServiceError>, context: &Context) {
    if let Err(error) = outcome {
        context.note(format_args!("warning: {error}"));
    }
}

fn write(path: &Path, text: &str, is_forced: bool) -> Result<(), Failure> {
    let failed =
        |error: io::Error| Failure::new(Fault::Failed, format_args!("cannot write {}: {error}", path.display()));
    match std::fs::read_to_string(path) {
        Ok(current) if current != text && !is_forced => {
            return Err(Failure::new(Fault::Failed, format_args!("{} is there already and differs", path.display()))
                .hint("replace it with --force"));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let temporary = path.with_extension("service.tmp");
    std::fs::write(&temporary, text).map_err(failed)?;
    std::fs::rename(&temporary, path).map_err(failed)
}

pub(super) fn uninstall(_typed: &UninstallTyped, context: &mut Context) -> Result<(), Failure> {
    refuse_inside(context)?;
    if let Some(explanation) = in_container(context)? {
        return context.line(explanation);
    }
    let home = context.home()?;
    let path = unit_path(&context.environment, home.name()).ok_or_else(|| usage("HOME is not set"))?;
    if !path.exists() {
        return context.line("✗ Gateway is not installed");
    }
    let systemd = SystemdUser::find(&context.environment, &context.root()?);
    if let Some(systemd) = &systemd {
        warn(systemd.stop(home.name()), context);
        warn(systemd.disable(home.name()), context);
    }
    std::fs::remove_file(&path)
        .map_err(|error| Failure::new(Fault::Failed, format_args!("cannot remove {}: {error}", path.display())))?;
    if let Some(systemd) = &systemd {
        warn(systemd.reload(home.name()), context);
    }
    context.line(format_args!("✓ Removed {}", path.display()))
}
