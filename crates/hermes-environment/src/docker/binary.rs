//! Which program talks to the engine, and whether the engine answers it.
//!
//! A client without its daemon looks installed and fails opaquely at the first command; so the
//! daemon is asked before anything else happens, and the four ways to fail are told apart.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use hermes_proto::HostEnvironment;
use hermes_sandbox::process::{Helper, HelperError, HelperOutcome, find_program};

use super::error::DockerError;

/// Names the program to use instead of the ones that are looked for.
pub const VARIABLE: &str = "HERMES_DOCKER_BINARY";
/// How long the engine may take to tell its version.
const PREFLIGHT: Duration = Duration::from_secs(5);
/// Where installers put the program when PATH does not know.
const KNOWN: [&str; 3] =
    ["/usr/local/bin/docker", "/opt/homebrew/bin/docker", "/Applications/Docker.app/Contents/Resources/bin/docker"];
/// What the client needs of our environment: its engine, its configuration, its helpers.
pub const CLIENT_VARIABLES: [&str; 13] = [
    "PATH",
    "HOME",
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_CONFIG",
    "DOCKER_CERT_PATH",
    "DOCKER_TLS_VERIFY",
    "DOCKER_API_VERSION",
    "CONTAINER_HOST",
    "SSH_AUTH_SOCK",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// Where the program is looked for.
#[derive(Debug, Clone)]
pub struct Search {
    /// By the operator: a path, or a name on PATH.
    pub named: Option<OsString>,
    pub path: OsString,
    pub known: Vec<PathBuf>,
    /// What the program gets as its environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl Search {
    pub fn of(host: &HostEnvironment) -> Self {
        let pair = |name: &str| host.get(name).map(|value| (name.into(), value.to_owned()));
        Self {
            named: host.get(VARIABLE).filter(|named| !named.is_empty()).map(Into::into),
            path: host.get("PATH").unwrap_or_default().to_owned(),
            known: KNOWN.iter().map(PathBuf::from).collect(),
            environment: CLIENT_VARIABLES.into_iter().filter_map(pair).collect(),
        }
    }

    fn find(&self) -> Result<PathBuf, DockerError> {
        if let Some(named) = &self.named {
            let missing = || DockerError::NotFound { named: Some(named.clone()) };
            return find_program(named, &self.path).ok_or_else(missing);
        }
        let on_path = ["docker", "podman"].iter().find_map(|name| find_program(name, &self.path));
        let found = on_path.or_else(|| self.known.iter().find_map(|place| find_program(place, &self.path)));
        found.ok_or(DockerError::NotFound { named: None })
    }
}

/// The program, proven to reach its engine.
#[derive(Debug, Clone)]
pub struct Client {
    pub(super) program: PathBuf,
    pub(super) environment: Vec<(OsString, OsString)>,
}

impl Client {
    /// Finds the program and asks its engine for the version; nothing else comes before.
    pub fn connect(search: &Search) -> Result<Self, DockerError> {
        let client = search.find().map(|program| Self { program, environment: search.environment.clone() });
        let connected = client.and_then(|client| client.preflight().map(|()| client));
        connected.inspect_err(|error| tracing::error!("{}", error.logged()))
    }

    fn preflight(&self) -> Result<(), DockerError> {
        let program = self.program.clone();
        self.call(PREFLIGHT, ["version"]).map(drop).map_err(|source| match source {
            HelperError::TimedOut { .. } | HelperError::Stuck { .. } => DockerError::NotResponding { program, source },
            HelperError::Failed { .. } => DockerError::VersionFailed { program, source },
            _ => DockerError::NotExecutable { program, source },
        })
    }

    /// Runs the program to its end, within this time.
    pub(super) fn call<A: Into<OsString>>(
        &self,
        limit: Duration,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<HelperOutcome, HelperError> {
        self.helper(limit).args(arguments).run()
    }

    pub(super) fn helper(&self, limit: Duration) -> Helper {
        Helper::new(&self.program).time_limit(limit).environment(self.environment.iter().cloned())
    }
}
