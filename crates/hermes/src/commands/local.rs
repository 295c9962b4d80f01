//! The local environment of the current directory, for the commands that need one.

use std::sync::Arc;
use std::time::Duration;

use hermes_environment::{Environment, ExecutorProgram, LocalPlan, Surroundings};
use hermes_home::config::{self, Overrides};

use super::executor::BUILD;
use crate::context::Context;
use crate::exit::Failure;

/// Starts it, and says how long its commands may take by default.
pub(super) async fn start(context: &Context) -> Result<(Environment, Duration), Failure> {
    let (root, home) = (context.root()?, context.home()?);
    let loaded = config::load(&home, &context.environment, &Overrides::default())?;
    let terminal = &loaded.config.terminal;
    let plan = LocalPlan {
        root: &root,
        home: &home,
        terminal,
        host: &context.environment,
        workspace: terminal.cwd.clone().into(),
    };
    let surroundings = Surroundings { host: Arc::new(context.environment.clone()), configured: plan.configured() };
    let (environment, _notices) = Environment::start(&ExecutorProgram::own(), &plan.open(BUILD)?, surroundings).await?;
    Ok((environment, Duration::from_secs(terminal.timeout)))
}
