//! Local environments for the benchmarks: the shipped program, a home and a workspace of their own.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use hermes_approval::{
    Action, Entry, Guard, GuardParts, GuardSettings, Journal, JournalError, PermanentGrants, Permit,
};
use hermes_environment::{CommandText, Environment, ExecutorProgram, LocalPlan, Surroundings};
use hermes_home::config::{Sandbox, Terminal};
use hermes_home::{Asked, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::CommandResult;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use tokio::runtime::Runtime;

use super::Bench;
use super::start_up::{LANGUAGE, PATH};

/// Where environments are made.
#[derive(Debug)]
pub(super) struct Place {
    program: ExecutorProgram,
    root: HomeRoot,
    host: HostEnvironment,
    workspace: PathBuf,
    hosting: Hosting,
}

impl Place {
    pub(super) fn new(bench: &Bench) -> anyhow::Result<Self> {
        let (home, workspace) = (bench.folder.join("home"), bench.folder.join("workspace"));
        std::fs::create_dir_all(&workspace).with_context(|| format!("create {}", workspace.display()))?;
        let pairs = [
            ("HERMES_HOME", home.into_os_string()),
            ("HOME", "/root".into()),
            ("PATH", PATH.into()),
            ("LANG", LANGUAGE.into()),
        ];
        let host = HostEnvironment::from_pairs(pairs);
        let program =
            ExecutorProgram { path: bench.hermes.clone(), arguments: vec!["executor".into()], environment: Vec::new() };
        Ok(Self { program, root: HomeRoot::find(&host)?, host, workspace, hosting: Hosting::new() })
    }

    /// A fresh environment, confined or not.
    pub(super) async fn environment(&self, sandbox: Sandbox) -> anyhow::Result<Environment> {
        let home = self.root.select(&Asked::Nothing)?;
        let terminal = Terminal { sandbox, ..Terminal::default() };
        let plan = LocalPlan {
            root: &self.root,
            home: &home,
            terminal: &terminal,
            host: &self.host,
            workspace: self.workspace.clone(),
        };
        let surroundings = Surroundings { host: Arc::new(self.host.clone()), configured: plan.configured() };
        let (environment, _) =
            Environment::start(&self.program, &plan.open("bench")?, surroundings, plan.context()).await?;
        Ok(environment)
    }

    pub(super) fn turn(&self) -> TurnContext {
        TurnContext::arrived(&self.hosting, Edge::new(Surface::Headless, Arc::new(NobodyToAsk)))
    }
}

/// Keeps nothing: what a store costs is measured by itself.
#[derive(Debug)]
struct NotKept;

impl Journal for NotKept {
    fn write(&self, _entries: &[Entry]) -> Result<(), JournalError> {
        Ok(())
    }
}

/// A permit, with all that has to be judged for one.
pub(super) fn permit<A: Action>(
    turn: &TurnContext,
    place: &hermes_approval::Place,
    action: A,
) -> anyhow::Result<Permit<A>> {
    let parts = GuardParts::new(GuardSettings::default(), Arc::new(NotKept), PermanentGrants::none());
    Guard::new(parts).permit_typed(turn, place, action).context("it is not permitted")
}

pub(super) async fn run(environment: &Environment, turn: &TurnContext, text: &str) -> anyhow::Result<CommandResult> {
    let permit = permit(turn, &environment.place(), CommandText::new(text))?;
    let result = environment.run(turn, permit, &mut |_| ()).await?;
    anyhow::ensure!(result.exit_code == 0, "{text}: {result:?}");
    Ok(result)
}

/// A runtime as the gateway has one: as many threads as the machine has cores.
pub(super) fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().context("start a runtime")
}
