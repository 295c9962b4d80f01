//! A home, a configuration and a docker that records: what an environment is made from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_environment::docker::{Container, DockerError, DockerPlan, DockerSettings, ExecutorSource, HostAccount};
use hermes_home::config::Terminal;
use hermes_home::{Asked, Home, HomeRoot};
use hermes_proto::HostEnvironment;
use hermes_testkit::FakeDocker;

/// Everything a test may change before it makes an environment.
pub(crate) struct Fixture {
    pub(crate) fake: FakeDocker,
    pub(crate) folder: tempfile::TempDir,
    pub(crate) terminal: Terminal,
    pub(crate) task: String,
    pub(crate) profile: Option<String>,
    pub(crate) host_directory: Option<PathBuf>,
    pub(crate) account: HostAccount,
    pub(crate) variables: Vec<(String, String)>,
}

impl Fixture {
    /// As the contract's tests make their environments: no limits, nothing kept.
    pub(crate) fn new(task: &str) -> Self {
        let terminal = Terminal {
            docker_image: "python:3.11".to_owned(),
            cwd: "/root".to_owned(),
            container_cpu: 0.0,
            container_memory: 0,
            container_disk: 0,
            container_persistent: false,
            docker_shm_size: String::new(),
            ..Terminal::default()
        };
        Self {
            fake: FakeDocker::new(),
            folder: tempfile::tempdir().unwrap(),
            terminal,
            task: task.to_owned(),
            profile: None,
            host_directory: None,
            account: HostAccount::Posix { user: 1234, group: 5678 },
            variables: Vec::new(),
        }
    }

    /// A folder beside the home.
    pub(crate) fn project(&self, name: &str) -> PathBuf {
        let project = self.folder.path().join(name);
        std::fs::create_dir_all(&project).unwrap();
        project
    }

    pub(crate) fn host(&self) -> HostEnvironment {
        let own = [("PATH", self.fake.folder().to_str().unwrap()), ("HOME", self.folder.path().to_str().unwrap())];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        HostEnvironment::from_pairs(own.into_iter().chain(self.variables.clone()))
    }

    pub(crate) fn home(&self) -> Home {
        let path = self.folder.path().join("home");
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", &path)])).unwrap();
        match &self.profile {
            None => root.select(&Asked::Nothing).unwrap(),
            Some(name) => {
                std::fs::create_dir_all(path.join("profiles").join(name)).unwrap();
                root.select(&Asked::For(name.parse().unwrap())).unwrap()
            }
        }
    }

    pub(crate) fn settings(&self) -> Arc<DockerSettings> {
        self.try_settings().unwrap()
    }

    pub(crate) fn try_settings(&self) -> Result<Arc<DockerSettings>, DockerError> {
        self.plan(ExecutorSource::None)
    }

    /// With this program as the executor.
    pub(crate) fn settings_with(&self, program: &Path) -> Arc<DockerSettings> {
        self.plan(ExecutorSource::Program(program.to_owned())).unwrap()
    }

    fn plan(&self, executor: ExecutorSource) -> Result<Arc<DockerSettings>, DockerError> {
        let (home, host) = (self.home(), self.host());
        let plan = DockerPlan {
            home: &home,
            terminal: &self.terminal,
            host: &host,
            task: &self.task,
            host_directory: self.host_directory.clone(),
            account: self.account,
            executor,
        };
        plan.settings()
    }

    pub(crate) fn acquire(&self) -> Container {
        Container::acquire(&self.settings()).unwrap()
    }
}
