//! Commands on this machine, kept in by the kernel.

mod confinement;
mod spill;

use std::path::{Path, PathBuf};

use hermes_home::config::Terminal;
use hermes_home::{Home, HomeRoot};
use hermes_policy::Context;
use hermes_policy::environment::Configured;
use hermes_proto::HostEnvironment;
use hermes_proto::executor::Open;
use hermes_sandbox::confine::Confinement;

use crate::error::EnvironmentError;

/// What a local environment is made from.
#[derive(Debug)]
pub struct LocalPlan<'a> {
    pub root: &'a HomeRoot,
    pub home: &'a Home,
    pub terminal: &'a Terminal,
    pub host: &'a HostEnvironment,
    /// Where commands start; they may change everything below it.
    pub workspace: PathBuf,
}

impl LocalPlan<'_> {
    /// What an executor for this environment is told.
    pub fn open(&self, build: &str) -> Result<Open<Confinement>, EnvironmentError> {
        let workspace = std::fs::canonicalize(&self.workspace)
            .map_err(|source| EnvironmentError::Workspace { path: self.workspace.clone(), source })?;
        let spill = spill::make(self.home)?;
        Ok(Open {
            build: build.to_owned(),
            confinement: Some(self.confinement(&workspace, &spill)),
            working_directory: text(&workspace)?,
            keeps_own_environment: false,
            spill_folder: Some(text(&spill)?),
        })
    }

    /// What policy judges commands by. The folder is the executor's to tell.
    pub fn context(&self) -> Context {
        let text = |path: &Path| path.to_str().map(str::to_owned);
        Context { home: text(&self.user_home()), hermes_home: text(self.root.path()), ..Context::default() }
    }

    /// What configuration says about the environment of commands.
    pub fn configured(&self) -> Configured {
        Configured { passthrough: self.terminal.env_passthrough.clone(), variables: Vec::new() }
    }
}

/// A path that can be told to an executor: links speak UTF-8.
fn text(path: &Path) -> Result<String, EnvironmentError> {
    path.to_str().map(str::to_owned).ok_or_else(|| EnvironmentError::PathNotText { path: path.to_owned() })
}
