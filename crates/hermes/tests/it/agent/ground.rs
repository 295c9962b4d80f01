//! A home, a folder to work in and a guard for one test, and calls of tools as a turn makes them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_agent::{
    Arguments, NobodyAnswers, Observer, OpenWorkshop, Opened, Opening, ToolContext, ToolReply, TurnEvent, Workshop,
    tools,
};
use hermes_approval::{Guard, GuardParts, GuardSettings, PermanentGrants, Reviewer, Yolo};
use hermes_environment::docker::{DockerEnvironment, DockerSettings, OrphanSweep};
use hermes_environment::{Environment, ExecutorProgram, LocalPlan, Surroundings, Workplace};
use hermes_home::config::{ApprovalMode, Config};
use hermes_home::{Asked, Home, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_proto::consent::{Approver, NobodyToAsk};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Delivery, Edge, Hosting, Surface, TurnContext};
use hermes_store::{Settings, Store};
use hermes_testkit::MemoryJournal;
use serde_json::Value;
use tokio::sync::Notify;

/// Long enough for any machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Remembers what was shown.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<Vec<TurnEvent>>, Notify);

impl Observer for Seen {
    fn saw(&self, event: TurnEvent) {
        self.0.lock().unwrap().push(event);
        self.1.notify_one();
    }
}

impl Seen {
    /// The live output so far.
    pub(crate) fn output(&self) -> String {
        let text = |event: &TurnEvent| match event {
            TurnEvent::ToolOutput { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.0.lock().unwrap().iter().filter_map(text).collect()
    }

    /// Waits until this was shown.
    pub(crate) async fn output_with(&self, text: &str) {
        while !self.output().contains(text) {
            self.1.notified().await;
        }
    }

    pub(crate) fn notices(&self) -> Vec<String> {
        let text = |event: &TurnEvent| match event {
            TurnEvent::Notice { text } => Some(text.clone()),
            _ => None,
        };
        self.0.lock().unwrap().iter().filter_map(text).collect()
    }
}

/// The sandbox that is the default, with the program's own executor.
#[derive(Debug, Clone)]
pub(crate) struct LocalOpener {
    home: PathBuf,
    work: PathBuf,
    host: HostEnvironment,
    config: Config,
}

impl OpenWorkshop for LocalOpener {
    fn open(&self) -> Opening<'_> {
        Box::pin(async {
            let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", &self.home)])).unwrap();
            let home = root.select(&Asked::Nothing).unwrap();
            let (terminal, host, workspace) = (&self.config.terminal, &self.host, self.work.clone());
            let plan = LocalPlan { root: &root, home: &home, terminal, host, workspace };
            let program = ExecutorProgram {
                path: env!("CARGO_BIN_EXE_hermes").into(),
                arguments: vec!["executor".into()],
                environment: Vec::new(),
            };
            let surroundings = Surroundings { host: Arc::new(host.clone()), configured: plan.configured() };
            let started = Environment::start(&program, &plan.open("test").unwrap(), surroundings, plan.context()).await;
            let (environment, notices) = started?;
            Ok(Opened { place: Workplace::Local(Box::new(environment)), notices })
        })
    }
}

/// A container.
#[derive(Debug)]
pub(crate) struct DockerOpener(pub(crate) Arc<DockerSettings>);

impl OpenWorkshop for DockerOpener {
    fn open(&self) -> Opening<'_> {
        Box::pin(async {
            let (environment, notices) = DockerEnvironment::start(&self.0, &Arc::new(OrphanSweep::new())).await?;
            Ok(Opened { place: Workplace::Docker(Box::new(environment)), notices })
        })
    }
}

/// One test's ground.
pub(crate) struct Ground {
    folder: tempfile::TempDir,
    pub(crate) config: Arc<Config>,
    pub(crate) guard: Guard,
    pub(crate) journal: Arc<MemoryJournal>,
    pub(crate) workshop: Arc<Workshop>,
    /// Opens another local place of the same kind.
    pub(crate) opener: LocalOpener,
    pub(crate) seen: Arc<Seen>,
}

/// What may differ from one test to the next.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) config: Config,
    pub(crate) variables: Vec<(&'static str, &'static str)>,
    pub(crate) reviewer: Option<Arc<dyn Reviewer>>,
    pub(crate) container: Option<Arc<DockerSettings>>,
}

impl Made {
    /// With a configuration in which people are asked, unless `change` says otherwise.
    pub(crate) fn with(change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        config.approvals.mode = ApprovalMode::Manual;
        change(&mut config);
        Self { config, ..Self::default() }
    }
}

impl Ground {
    pub(crate) fn new() -> Self {
        Self::of(Made::with(|_| ()))
    }

    pub(crate) fn of(made: Made) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [home, work] = ["home", "work"].map(|name| folder.path().join(name));
        std::fs::create_dir(&work).unwrap();
        let journal = Arc::new(MemoryJournal::default());
        let settings = GuardSettings::configured(&made.config, Yolo::default());
        let parts = GuardParts::new(settings, journal.clone(), PermanentGrants::none());
        let guard = Guard::new(GuardParts { reviewer: made.reviewer, ..parts });
        let own = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", "/root")];
        let host = HostEnvironment::from_pairs(own.into_iter().chain(made.variables));
        let opener = LocalOpener { home, work, host, config: made.config.clone() };
        let workshop = Arc::new(Workshop::new(match made.container {
            Some(settings) => Box::new(DockerOpener(settings)),
            None => Box::new(opener.clone()),
        }));
        Self { folder, config: Arc::new(made.config), guard, journal, workshop, opener, seen: Arc::default() }
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work").canonicalize().unwrap()
    }

    pub(crate) fn home(&self) -> Home {
        home_at(&self.folder.path().join("home"))
    }

    pub(crate) fn store(&self) -> Store {
        Store::of(self.home().path(), Settings::default())
    }

    pub(crate) fn context(&self, turn: &TurnContext) -> ToolContext {
        ToolContext {
            turn: turn.clone(),
            guard: self.guard.clone(),
            workshop: self.workshop.clone(),
            home: self.home(),
            config: self.config.clone(),
            observer: self.seen.clone(),
            person: Arc::new(NobodyAnswers),
            todos: Arc::default(),
            call: "call_1".to_owned().into(),
            session: hermes_store::sessions::NewSession::from("test").id,
            store: self.store(),
            tools: tools::all(),
            delegation: None,
        }
    }

    /// Calls a tool by its name.
    pub(crate) async fn call(&self, turn: &TurnContext, tool: &str, arguments: Value) -> ToolReply {
        call(&self.context(turn), tool, arguments).await
    }

    /// The same at a terminal where nobody will be asked.
    pub(crate) async fn used(&self, tool: &str, arguments: Value) -> ToolReply {
        self.call(&interactive(Arc::new(NobodyToAsk)), tool, arguments).await
    }

    /// How the commands, jobs, scripts and files of this ground began, of one kind.
    pub(crate) fn starts(&self, kind: hermes_proto::consent::ActionKind) -> usize {
        let is_start =
            |entry: &hermes_approval::Entry| entry.moment == hermes_approval::Moment::Started && entry.kind == kind;
        self.journal.entries().iter().filter(|entry| is_start(entry)).count()
    }
}

/// Calls a tool in this context.
pub(crate) async fn call(context: &ToolContext, tool: &str, arguments: Value) -> ToolReply {
    let tool = context.tools.get(tool).unwrap().clone();
    let reply = tokio::time::timeout(PATIENCE, tool.run(context, Arguments(arguments))).await;
    reply.unwrap_or_else(|_| panic!("{} did not come to an end", tool.name()))
}

pub(crate) fn home_at(path: &Path) -> Home {
    let environment = HostEnvironment::from_pairs([("HERMES_HOME", path)]);
    HomeRoot::find(&environment).unwrap().select(&Asked::Nothing).unwrap()
}

pub(crate) fn interactive(approver: Arc<dyn Approver>) -> TurnContext {
    turn(Surface::Interactive, approver, "agent:main:cli:dm:me")
}

/// A turn of this conversation.
pub(crate) fn turn(surface: Surface, approver: Arc<dyn Approver>, key: &str) -> TurnContext {
    let values = [(SessionVariable::Key, key.to_owned()), (SessionVariable::ChatId, key.replace(':', "-"))];
    TurnContext::arrived(&Hosting::new(), Edge::new(surface, approver)).bind(values, Delivery::Supported)
}
