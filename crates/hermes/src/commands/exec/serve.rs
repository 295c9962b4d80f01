//! `hermes exec --serve`: holds the sessions of a home until it is told to end.

use std::path::Path;
use std::time::Duration;

use hermes_approval::Yolo;
use hermes_environment::Environment;
use hermes_environment::held::{Claim, Holder, MakeEnvironment, Terms};
use hermes_home::config::Config;
use hermes_proto::Fault;
use hermes_proto::executor::AttachRefused;
use hermes_proto::turn::Hosting;
use tokio_util::sync::CancellationToken;

use super::{Backend, backend, signals};
use crate::commands::executor::BUILD;
use crate::commands::local::Local;
use crate::context::Context;
use crate::exit::Failure;

/// Sessions at once where configuration does not say.
const MOST_SESSIONS: u32 = 64;

pub(super) async fn run(typed: Option<Backend>, context: &Context) -> Result<(), Failure> {
    let local = Local::of(context)?;
    let config = local.config()?;
    if backend(typed, &config.terminal)? != Backend::Local {
        return Err(Failure::new(Fault::Configuration, "only local sessions can be held yet")
            .hint("a container keeps its files by itself; to hold local sessions give --backend local"));
    }
    let shutdown = CancellationToken::new();
    let _signals = signals::cancel_on(shutdown.clone())?;
    let (claim, listener) = Claim::take(local.home.path())?;
    let audit = local.audit(&config, &local.store(&config)?);
    let guard = local.guard(&config, Yolo::Off, None, audit);
    let holder = Holder::new(local, terms(&config), Hosting::new(), guard, BUILD);
    context.note(format_args!(
        "hermes: holding sessions at {} (process {})",
        claim.socket().display(),
        std::process::id()
    ));
    holder.run(listener, shutdown).await;
    drop(claim);
    Ok(())
}

fn terms(config: &Config) -> Terms {
    Terms {
        most_sessions: config.max_concurrent_sessions.unwrap_or(MOST_SESSIONS) as usize,
        // Not 0: a session must survive the time between two commands of a script.
        lifetime: Duration::from_secs(config.terminal.lifetime_seconds.max(1)),
    }
}

impl MakeEnvironment for Local {
    /// By the configuration as it is when the session begins.
    async fn make(&self, workspace: &Path) -> Result<Environment, AttachRefused> {
        let config = self.config().map_err(|error| AttachRefused::because(&error))?;
        let started = self.start(&config.terminal, workspace.to_owned()).await;
        started.map(|(environment, _nobody_listens)| environment).map_err(|error| AttachRefused::because(&error))
    }
}
