//! Environments of a home, for the commands that need one.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_approval::{Guard, GuardParts, GuardSettings, PermanentGrants, Reviewer, Scanner, Yolo};
use hermes_environment::docker::{
    DockerEnvironment, DockerError, DockerPlan, ExecutorSource, HostAccount, OrphanSweep,
};
use hermes_environment::link::Notices;
use hermes_environment::{Environment, EnvironmentError, ExecutorProgram, LocalPlan, Surroundings};
use hermes_home::config::{self, Config, ConfigError, Overrides, Terminal};
use hermes_home::redact::Redactor;
use hermes_home::{Home, HomeRoot, credentials};
use hermes_policy::environment::Configured;
use hermes_proto::{Fault, HostEnvironment};
use hermes_store::audit::Audit;
use hermes_store::{Settings, Store};

use super::executor::BUILD;
use crate::context::Context;
use crate::exit::Failure;

/// The container of everything that belongs to no other task.
const TASK: &str = "default";

/// Where environments come from.
#[derive(Debug, Clone)]
pub(super) struct Local {
    root: HomeRoot,
    pub(super) home: Home,
    host: Arc<HostEnvironment>,
}

impl Local {
    pub(super) fn of(context: &Context) -> Result<Self, Failure> {
        Ok(Self { root: context.root()?, home: context.home()?, host: Arc::new(context.environment.clone()) })
    }

    /// The configuration as it is now.
    pub(super) fn config(&self) -> Result<Config, ConfigError> {
        Ok(config::load(&self.home, &self.host, &Overrides::default())?.config)
    }

    /// The store of this home. Whoever shares it shares its connections: two of one process would read again what the
    /// other has written.
    pub(super) fn store(&self, config: &Config) -> Result<Store, Failure> {
        Ok(Store::of(self.home.path(), Settings::of(&config.database)?))
    }

    /// The record of what is asked, decided and done.
    pub(super) fn audit(&self, config: &Config, store: &Store) -> Arc<Audit> {
        Arc::new(Audit::open(store, self.redactor(config)))
    }

    /// Who permits what is started in the environments of this home, and keeps the record of it.
    pub(super) fn guard(
        &self,
        config: &Config,
        asked: Yolo,
        reviewer: Option<Arc<dyn Reviewer>>,
        audit: Arc<Audit>,
    ) -> Guard {
        let yolo = if asked == Yolo::On { asked } else { Yolo::of_process(&self.host) };
        let settings = GuardSettings::configured(config, yolo);
        let permanent = PermanentGrants::of(&self.home, &self.host);
        Guard::new(GuardParts {
            reviewer,
            scanner: Scanner::configured(&config.security, &self.host),
            ..GuardParts::new(settings, audit, permanent)
        })
    }

    /// What takes the home's secrets out of what leaves it.
    pub(super) fn redactor(&self, config: &Config) -> Redactor {
        credentials::redactor(&self.home, &self.host, config.terminal.sudo_password.clone())
    }

    /// Starts an environment whose commands start in this folder.
    pub(super) async fn start(
        &self,
        terminal: &Terminal,
        workspace: PathBuf,
    ) -> Result<(Environment, Notices), EnvironmentError> {
        let plan = LocalPlan { root: &self.root, home: &self.home, terminal, host: &self.host, workspace };
        let surroundings = Surroundings { host: self.host.clone(), configured: plan.configured() };
        Environment::start(&ExecutorProgram::own(), &plan.open(BUILD)?, surroundings, plan.context()).await
    }

    /// A place that was asked for in vain is never replaced by another.
    pub(super) fn no_backend(backend: config::Backend) -> Failure {
        let message =
            format!("terminal.backend is {}, and only local and docker can run commands yet", backend.as_str());
        Failure::new(Fault::Configuration, message)
            .hint("give --backend local to exec, or run: hermes config set terminal.backend local")
    }

    /// What configuration asks for in vain.
    pub(super) fn refusals(terminal: &Terminal) -> Vec<String> {
        let configured = Configured { passthrough: terminal.env_passthrough.clone(), variables: Vec::new() };
        configured.refusals().iter().map(|refusal| format!("terminal.env_passthrough: {refusal}")).collect()
    }

    /// Starts an environment in the home's container, which all its commands share; `host_directory` is what it is about.
    pub(super) async fn start_docker(
        &self,
        terminal: &Terminal,
        host_directory: Option<PathBuf>,
    ) -> Result<(DockerEnvironment, Notices), DockerError> {
        let plan = DockerPlan {
            home: &self.home,
            terminal,
            host: &self.host,
            task: TASK,
            host_directory,
            account: HostAccount::own(),
            executor: ExecutorSource::own(),
        };
        DockerEnvironment::start(&plan.settings()?, &Arc::new(OrphanSweep::new())).await
    }
}
