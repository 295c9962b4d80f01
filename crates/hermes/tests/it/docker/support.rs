//! A home and a profile of its own for each test, and what is left in the engine at its end.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

use hermes_environment::CommandText;
use hermes_environment::docker::{
    DockerEnvironment, DockerError, DockerPlan, DockerSettings, ExecutorSource, HostAccount, OrphanSweep,
};
use hermes_home::config::Terminal;
use hermes_home::{Asked, Home, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_proto::consent::NobodyToAsk;
use hermes_proto::executor::CommandResult;
use hermes_proto::turn::{Edge, Hosting, Surface, TurnContext};
use hermes_testkit::permit;

use crate::support::quiet;

pub(crate) const IMAGE: &str = "debian:bookworm-slim";

/// A home whose profile nobody else has: its label finds every container of the test.
pub(crate) struct Place {
    path: PathBuf,
    /// Missing in a process that was started to use another's place.
    owned: Option<tempfile::TempDir>,
    pub(crate) profile: String,
    pub(crate) terminal: Terminal,
    pub(crate) variables: Vec<(String, String)>,
}

impl Place {
    pub(crate) fn new() -> Self {
        require_engine();
        let folder = tempfile::tempdir().unwrap();
        let unique = folder.path().file_name().unwrap().to_str().unwrap().trim_start_matches('.').to_lowercase();
        let profile = format!("{unique}-{}", std::process::id());
        let path = folder.path().to_owned();
        let mut place = Self::of_another(path, profile);
        place.owned = Some(folder);
        place
    }

    /// The place of another process.
    pub(crate) fn of_another(path: PathBuf, profile: String) -> Self {
        let terminal = Terminal {
            docker_image: IMAGE.to_owned(),
            container_memory: 256,
            container_disk: 0,
            docker_shm_size: String::new(),
            ..Terminal::default()
        };
        Self { path, owned: None, profile, terminal, variables: Vec::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn home(&self) -> Home {
        let path = self.path.join("home");
        std::fs::create_dir_all(path.join("profiles").join(&self.profile)).unwrap();
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", &path)])).unwrap();
        root.select(&Asked::For(self.profile.parse().unwrap())).unwrap()
    }

    pub(crate) fn settings(&self, task: &str) -> Arc<DockerSettings> {
        self.settings_with(Path::new(env!("CARGO_BIN_EXE_hermes")), task)
    }

    /// With another program as the executor.
    pub(crate) fn settings_with(&self, executor: &Path, task: &str) -> Arc<DockerSettings> {
        let home = self.home();
        let own = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", self.path.to_str().unwrap())];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let host = HostEnvironment::from_pairs(own.into_iter().chain(self.variables.clone()));
        let plan = DockerPlan {
            home: &home,
            terminal: &self.terminal,
            host: &host,
            task,
            host_directory: None,
            account: HostAccount::own(),
            executor: ExecutorSource::Program(executor.to_owned()),
        };
        plan.settings().unwrap()
    }

    pub(crate) async fn start(&self, task: &str) -> DockerEnvironment {
        let sweep = Arc::new(OrphanSweep::new());
        DockerEnvironment::start(&self.settings(task), &sweep).await.unwrap().0
    }

    /// Ids of this test's containers in any state.
    pub(crate) fn containers(&self) -> Vec<String> {
        let filter = format!("label=hermes-profile={}", self.profile);
        let listed = docker(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
        String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.owned.is_none() {
            return;
        }
        for id in self.containers() {
            docker(&["rm", "-f", "-v", &id]);
        }
    }
}

/// The real client.
pub(crate) fn docker(arguments: &[&str]) -> Output {
    quiet("docker").args(arguments).output().unwrap()
}

/// What the real client says on standard output; it must succeed.
pub(crate) fn told(arguments: &[&str]) -> String {
    let output = docker(arguments);
    assert!(output.status.success(), "docker {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn require_engine() {
    let answer = quiet("docker").args(["image", "inspect", "--format", "{{.Id}}", IMAGE]).output();
    let is_there = answer.as_ref().is_ok_and(|output| output.status.success());
    assert!(
        is_there,
        "these tests need a Docker engine that answers and the image {IMAGE} (scripts/docker-engine, \
         scripts/base-image): {answer:?}"
    );
}

pub(crate) fn turn() -> TurnContext {
    TurnContext::arrived(&Hosting::new(), Edge::new(Surface::Headless, Arc::new(NobodyToAsk)))
}

/// Runs a command with a permit of its own.
pub(crate) async fn try_run(
    environment: &DockerEnvironment,
    turn: &TurnContext,
    command: CommandText,
    output: &mut impl FnMut(&[u8]),
) -> Result<CommandResult, DockerError> {
    environment.run(turn, permit(turn, &environment.place(), command), output).await
}

pub(crate) async fn run(environment: &DockerEnvironment, text: &str) -> CommandResult {
    try_run(environment, &turn(), CommandText::new(text), &mut |_| ()).await.unwrap()
}

/// Runs a command that must succeed; answers its output.
pub(crate) async fn output(environment: &DockerEnvironment, text: &str) -> String {
    let result = run(environment, text).await;
    assert_eq!(result.exit_code, 0, "{result:?}");
    result.output.trim().to_owned()
}

/// The program itself with the profile of this place; it must succeed.
pub(crate) fn quiet_hermes(place: &Place, arguments: &[&str]) -> String {
    let mut command = quiet(env!("CARGO_BIN_EXE_hermes"));
    command.env("HERMES_HOME", place.path().join("home")).env("HOME", place.path());
    let output = command.args(["-p", &place.profile]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
