//! What can go wrong with a container. The first four texts are the original's, which scripts
//! and people know.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use hermes_approval::PermitError;
use hermes_home::dotenv::DotenvError;
use hermes_home::files::FileError;
use hermes_proto::{Explain, Fault};
use hermes_sandbox::process::HelperError;

use super::binary::VARIABLE;
use crate::error::EnvironmentError;

/// Why there is no container, or none to run commands in.
#[derive(Debug, thiserror::Error)]
pub enum DockerError {
    #[error("Docker executable not found in PATH or known install locations{}", named_text(named))]
    NotFound { named: Option<OsString> },
    #[error("Docker daemon is not responding ({source})")]
    NotResponding { program: PathBuf, source: HelperError },
    #[error("Docker executable could not be executed ({source})")]
    NotExecutable { program: PathBuf, source: HelperError },
    #[error("Docker command is available but 'docker version' failed ({source})")]
    VersionFailed { program: PathBuf, source: HelperError },
    #[error("container of {image} cannot be started: {source}")]
    Run { image: String, source: HelperError },
    #[error("engine started a container of {image} and did not say which")]
    NoId { image: String },
    #[error("containers cannot be listed: {0}")]
    List(#[source] HelperError),
    #[error("engine lists its containers in a way that is not understood: {detail}")]
    Listing { detail: String },
    #[error("container {id} cannot be stopped: {source}")]
    Stop { id: String, source: HelperError },
    #[error("container {id} cannot be removed: {source}")]
    Remove { id: String, source: HelperError },
    #[error("no environment {0:?}")]
    NoSuch(String),
    #[error("terminal.docker_network is off, but terminal.docker_extra_args ask for {0}")]
    NetworkConflict(String),
    #[error("container {id} has a network, none is configured, and others are using it")]
    Weaker { id: String },
    #[error("{} holds a colon, and the engine takes that for the end of a path", path.display())]
    Colon { path: PathBuf },
    #[error(transparent)]
    Home(#[from] FileError),
    #[error(transparent)]
    Dotenv(#[from] DotenvError),
    #[error("{}: cannot be locked: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("{}: cannot keep a copy of this program for containers: {source}", path.display())]
    Executor { path: PathBuf, source: io::Error },
    #[error("task that talks to the engine has ended early")]
    Interrupted,
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error(transparent)]
    Permit(#[from] PermitError),
    #[error("docker exec cannot be started: {0}")]
    Exec(#[source] io::Error),
    #[error("container {id} is gone")]
    Gone { id: String },
    #[error("{what} needs the executor, which cannot run in this container")]
    NeedsExecutor { what: &'static str },
    #[error("environment is closed")]
    Closed,
    #[error("container {id} was not cleaned up within {seconds} s")]
    CleanupTimedOut { id: String, seconds: u64 },
}

fn named_text(named: &Option<OsString>) -> String {
    named
        .as_ref()
        .map_or_else(String::new, |named| format!(": {VARIABLE} names {}, which is no program", named.display()))
}

impl DockerError {
    /// What the log says, with the words an operator searches for.
    pub(super) fn logged(&self) -> String {
        match self {
            Self::NotFound { .. } => format!(
                "docker backend selected but no docker executable was found in PATH or known install locations: {self}"
            ),
            Self::NotResponding { program, .. } => format!("'{} version' timed out: {self}", program.display()),
            Self::NotExecutable { program, .. } => format!("'{}' could not be executed: {self}", program.display()),
            Self::VersionFailed { program, .. } => format!("'{} version' failed: {self}", program.display()),
            other => other.to_string(),
        }
    }
}

impl Explain for DockerError {
    fn fault(&self) -> Fault {
        match self {
            Self::NotResponding { .. } | Self::CleanupTimedOut { .. } => Fault::TryAgain,
            Self::NotFound { .. } | Self::NetworkConflict(_) => Fault::Configuration,
            Self::NoSuch(_) => Fault::Usage,
            Self::Home(error) => error.fault(),
            Self::Dotenv(error) => error.fault(),
            Self::Environment(error) => error.fault(),
            Self::Permit(error) => error.fault(),
            Self::Run { source, .. } | Self::List(source) => source.fault(),
            _ => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { named: None } => {
                Some(format!("install docker or podman, or name the program in {VARIABLE}, or use --backend local"))
            }
            Self::NotFound { named: Some(_) } => {
                Some(format!("set {VARIABLE} to the docker or podman program, or unset it"))
            }
            Self::NotResponding { .. } => {
                Some("look at the daemon's log, or restart it: systemctl restart docker".to_owned())
            }
            Self::NotExecutable { program, .. } => {
                Some(format!("check the mode of {}, or reinstall it", program.display()))
            }
            Self::VersionFailed { .. } => {
                Some("start the daemon (systemctl start docker), and let this user talk to it".to_owned())
            }
            Self::NoSuch(_) => Some("see them with: hermes env list".to_owned()),
            Self::Weaker { id } => Some(format!("end the other sessions, or stop it: hermes env stop {id}")),
            Self::NetworkConflict(_) => Some("remove one of the two settings".to_owned()),
            Self::Home(error) => error.hint(),
            Self::Dotenv(error) => error.hint(),
            Self::Environment(error) => error.hint(),
            _ => None,
        }
    }
}
