//! Tools that need no place to work in, called as a turn calls them. The others are tested with the real program.

mod clarify;
mod memory;
mod redaction;
mod schemas;
mod session_search;
mod skills;
mod web_extract;

use std::sync::Arc;

use hermes_agent::{
    Arguments, NobodyAnswers, OpenWorkshop, Opening, Person, ToolContext, ToolReply, Unobserved, Workshop, tools,
};
use hermes_approval::{Guard, GuardParts, GuardSettings, Journal, JournalError, PermanentGrants};
use hermes_environment::EnvironmentError;
use hermes_home::Home;
use hermes_home::config::Config;
use hermes_proto::turn::{Surface, TurnContext};
use hermes_store::{Settings, Store};
use serde_json::Value;

use crate::ground::{home_at, turn};

#[derive(Debug)]
struct Nowhere;

impl OpenWorkshop for Nowhere {
    fn open(&self) -> Opening<'_> {
        Box::pin(async { Err(EnvironmentError::Start(std::io::Error::other("there is no place in this test")).into()) })
    }
}

#[derive(Debug)]
struct Unwritten;

impl Journal for Unwritten {
    fn write(&self, _entries: &[hermes_approval::Entry]) -> Result<(), JournalError> {
        Ok(())
    }
}

/// A home for one test, and what tools know of it.
pub(super) struct Bench {
    folder: tempfile::TempDir,
    pub(super) config: Config,
    pub(super) person: Arc<dyn Person>,
}

impl Bench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, config: Config::default(), person: Arc::new(NobodyAnswers) }
    }

    pub(super) fn home(&self) -> Home {
        home_at(&self.folder.path().join("home"))
    }

    pub(super) fn context(&self, turn: &TurnContext) -> ToolContext {
        let parts = GuardParts::new(GuardSettings::default(), Arc::new(Unwritten), PermanentGrants::none());
        ToolContext {
            turn: turn.clone(),
            guard: Guard::new(parts),
            workshop: Arc::new(Workshop::new(Box::new(Nowhere))),
            home: self.home(),
            config: Arc::new(self.config.clone()),
            observer: Arc::new(Unobserved),
            person: self.person.clone(),
            todos: Arc::default(),
            call: "call_1".to_owned().into(),
            session: hermes_store::sessions::NewSession::from("test").id,
            store: Store::of(self.home().path(), Settings::default()),
            tools: tools::all(),
            delegation: None,
        }
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value) -> ToolReply {
        call(&self.context(&turn(Surface::Gateway)), tool, arguments).await
    }
}

pub(super) async fn call(context: &ToolContext, tool: &str, arguments: Value) -> ToolReply {
    let tool = context.tools.get(tool).unwrap().clone();
    tokio::time::timeout(crate::ground::PATIENCE, tool.run(context, Arguments(arguments))).await.unwrap()
}

#[tokio::test]
async fn without_a_place_to_work_in_tools_say_so() {
    let bench = Bench::new();
    for (tool, arguments) in [
        ("terminal", serde_json::json!({"command": "true"})),
        ("read_file", serde_json::json!({"path": "a"})),
        ("execute_code", serde_json::json!({"code": "1"})),
    ] {
        let reply = bench.call(tool, arguments).await;
        let error = reply.content["error"].as_str().unwrap();
        assert!(error.starts_with("nowhere to run commands: "), "{tool}: {error}");
    }
}
