//! Environments of a home, for the commands that need one.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_approval::{Entry, Guard, GuardParts, GuardSettings, Journal, JournalError, PermanentGrants, Yolo};
use hermes_environment::docker::{
    DockerEnvironment, DockerError, DockerPlan, ExecutorSource, HostAccount, OrphanSweep,
};
use hermes_environment::{Environment, EnvironmentError, ExecutorProgram, LocalPlan, Surroundings};
use hermes_home::config::{self, Config, ConfigError, Overrides, Terminal};
use hermes_home::{Home, HomeRoot};
use hermes_policy::environment::Configured;
use hermes_proto::HostEnvironment;

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

    /// Who permits what is started in the environments of this home.
    pub(super) fn guard(&self) -> Result<Guard, ConfigError> {
        let settings = GuardSettings::configured(&self.config()?, Yolo::of_process(&self.host));
        let permanent = PermanentGrants::of(&self.home, &self.host);
        Ok(Guard::new(GuardParts::new(settings, Arc::new(NotKept), permanent)))
    }

    /// Starts an environment whose commands start in this folder.
    pub(super) async fn start(&self, terminal: &Terminal, workspace: PathBuf) -> Result<Environment, EnvironmentError> {
        let plan = LocalPlan { root: &self.root, home: &self.home, terminal, host: &self.host, workspace };
        let surroundings = Surroundings { host: self.host.clone(), configured: plan.configured() };
        let (environment, _notices) =
            Environment::start(&ExecutorProgram::own(), &plan.open(BUILD)?, surroundings, plan.context()).await?;
        Ok(environment)
    }

    /// What configuration asks for in vain.
    pub(super) fn refusals(terminal: &Terminal) -> Vec<String> {
        let configured = Configured { passthrough: terminal.env_passthrough.clone(), variables: Vec::new() };
        configured.refusals().iter().map(|refusal| format!("terminal.env_passthrough: {refusal}")).collect()
    }

    /// Starts an environment in the home's container, which all its commands share.
    pub(super) async fn start_docker(&self, terminal: &Terminal) -> Result<DockerEnvironment, DockerError> {
        let plan = DockerPlan {
            home: &self.home,
            terminal,
            host: &self.host,
            task: TASK,
            host_directory: std::env::current_dir().ok(),
            account: HostAccount::own(),
            executor: ExecutorSource::own(),
        };
        let (environment, _notices) =
            DockerEnvironment::start(&plan.settings()?, &Arc::new(OrphanSweep::new())).await?;
        Ok(environment)
    }
}

/// Stands where the store's audit chain goes: what it is given is forgotten.
#[derive(Debug)]
struct NotKept;

impl Journal for NotKept {
    fn write(&self, _entries: &[Entry]) -> Result<(), JournalError> {
        Ok(())
    }
}
