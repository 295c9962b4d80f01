//! Real environments: the program's own executor, real shells, real children.

mod permits;
pub(crate) mod script;
mod session_context;
mod stress;

use std::path::Path;
use std::sync::Arc;

use hermes_environment::link::Notices;
use hermes_environment::{CommandText, Environment, ExecutorProgram, Surroundings};
use hermes_policy::Context;
use hermes_policy::environment::Configured;
use hermes_proto::HostEnvironment;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::{CommandResult, Open};
use hermes_proto::session::SessionVariable;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use hermes_testkit::permit;

/// A host whose own environment is full of another chat's identity, as the original's was
/// after the first turn.
pub(crate) fn polluted_host() -> HostEnvironment {
    let foreign = SessionVariable::ALL.map(|variable| (variable.name(), "LEFT_BEHIND"));
    HostEnvironment::from_pairs(foreign.into_iter().chain([("PATH", "/usr/local/bin:/usr/bin:/bin")]))
}

/// An unconfined environment that starts in `folder`; these tests are about identity.
pub(crate) async fn environment(folder: &Path, host: HostEnvironment) -> Environment {
    environment_and_notices(folder, host).await.0
}

async fn environment_and_notices(folder: &Path, host: HostEnvironment) -> (Environment, Notices) {
    let program = ExecutorProgram {
        path: env!("CARGO_BIN_EXE_hermes").into(),
        arguments: vec!["executor".into()],
        environment: Vec::new(),
    };
    let open = Open::<()> {
        build: "test".to_owned(),
        confinement: None,
        working_directory: folder.to_str().unwrap().to_owned(),
        keeps_own_environment: false,
        spill_folder: None,
    };
    let surroundings = Surroundings { host: Arc::new(host), configured: Configured::default() };
    Environment::start(&program, &open, surroundings, Context::default()).await.unwrap()
}

/// A message that has just arrived.
pub(crate) fn arrived(hosting: &Hosting) -> TurnContext {
    TurnContext::arrived(hosting, Edge::new(Surface::Gateway, Arc::new(NobodyToAsk)))
}

async fn run(environment: &Environment, turn: &TurnContext, text: &str) -> CommandResult {
    let permit = permit(turn, &environment.place(), CommandText::new(text));
    environment.run(turn, permit, &mut |_| ()).await.unwrap()
}

/// Prints every session variable a child has, one `NAME=value` line each, sorted.
const REPORT: &str = "env | grep -E '^(HERMES_SESSION_|HERMES_UI_SESSION_ID|HERMES_CRON|HERMES_BROWSER)' | sort; true";

/// What a child that was started right now sees of the session variables.
async fn seen(environment: &Environment, turn: &TurnContext) -> Vec<(String, String)> {
    let result = run(environment, turn, REPORT).await;
    assert_eq!(result.exit_code, 0, "{result:?}");
    let pair = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    result.output.lines().map(|line| pair(line).unwrap()).collect()
}
