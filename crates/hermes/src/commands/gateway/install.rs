//! `hermes gateway install` and `uninstall`: a unit of systemd for this account.

use std::io;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use hermes_gateway::lifecycle::systemd::{UnitPlan, unit, unit_name};
use hermes_home::config::{self, Overrides};
use hermes_proto::Fault;

use super::homes::refuse_inside;
use super::systemctl::{Systemctl, unit_path};
use crate::context::{Context, usage};
use crate::exit::Failure;

/// What a stop may take besides the turns.
const BESIDES: Duration = Duration::from_secs(60);

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
    let path = unit_path(&home, context).ok_or_else(|| usage("HOME is not set"))?;
    write(&path, &text, typed.force)?;
    context.line(format_args!("✓ Installed {}", path.display()))?;
    match Systemctl::found(&home, context) {
        Some(systemctl) => {
            let enabled = systemctl.reload().and_then(|()| systemctl.run("enable"));
            if let Err(Failure::Told { message, .. }) = enabled {
                context.note(format_args!("warning: {message}"));
            }
            context.note("note: start it with: hermes gateway start; to keep it running when you log out: loginctl enable-linger");
        }
        None => context.note("note: systemctl was not found; the unit is there for when it is"),
    }
    Ok(())
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
    let home = context.home()?;
    let path = unit_path(&home, context).ok_or_else(|| usage("HOME is not set"))?;
    if !path.exists() {
        return context.line("✗ Gateway is not installed");
    }
    let systemctl = Systemctl::found(&home, context);
    if let Some(systemctl) = &systemctl {
        for verb in ["stop", "disable"] {
            if let Err(Failure::Told { message, .. }) = systemctl.run(verb) {
                context.note(format_args!("warning: {message}"));
            }
        }
    }
    std::fs::remove_file(&path)
        .map_err(|error| Failure::new(Fault::Failed, format_args!("cannot remove {}: {error}", path.display())))?;
    if let Some(systemctl) = &systemctl
        && let Err(Failure::Told { message, .. }) = systemctl.reload()
    {
        context.note(format_args!("warning: {message}"));
    }
    context.line(format_args!("✓ Removed {}", path.display()))
}
