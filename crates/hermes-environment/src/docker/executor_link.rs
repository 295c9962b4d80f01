//! The executor in a container, and the ways to get it running there.

use std::path::Path;
use std::time::Duration;

use hermes_policy::Context;
use hermes_proto::executor::Open;

use super::binary::Client;
use super::digest::hexadecimal;
use super::executor_mount::{MOUNT, PROGRAM, PlacedExecutor};
use super::variables::ContainerVariables;
use crate::environment::Environment;
use crate::error::EnvironmentError;
use crate::executor_process::ExecutorProgram;
use crate::link::Notices;

/// A copy of the program over a slow connection to a remote engine.
const COPY: Duration = Duration::from_secs(120);

/// Why there is no executor.
#[derive(Debug)]
pub(super) enum NoExecutor {
    /// The container is not running any more.
    Gone(EnvironmentError),
    /// The program does not run in there: another architecture, or no such file.
    CannotRun(EnvironmentError),
}

/// Connects to an executor in the container.
#[derive(Debug)]
pub(super) struct ExecutorLink<'a> {
    pub(super) client: &'a Client,
    pub(super) id: &'a str,
    pub(super) working_directory: &'a str,
    pub(super) variables: &'a ContainerVariables,
}

impl ExecutorLink<'_> {
    /// Starts the one that is mounted; where that fails, one that is copied in.
    pub(super) async fn open(&self, placed: &PlacedExecutor) -> Result<(Environment, Notices), NoExecutor> {
        let mounted = self.start(MOUNT).await;
        let Err(NoExecutor::CannotRun(reason)) = mounted else { return mounted };
        let place = format!("{MOUNT}-{}", placed.name);
        tracing::info!(%reason, "the mounted executor cannot run; it is copied into the container");
        if !self.copy(&placed.folder, &place).await {
            return Err(NoExecutor::CannotRun(reason));
        }
        self.start(&place).await
    }

    async fn start(&self, folder: &str) -> Result<(Environment, Notices), NoExecutor> {
        let program = ExecutorProgram {
            path: self.client.program.clone(),
            arguments: ["exec", "-i", self.id, &format!("{folder}/{PROGRAM}"), "executor"].map(Into::into).to_vec(),
            environment: self.client.environment.clone(),
        };
        let started = Environment::start(&program, &self.told(), self.variables.clone(), Context::default()).await;
        started.map_err(|error| if is_gone(&error) { NoExecutor::Gone(error) } else { NoExecutor::CannotRun(error) })
    }

    /// The container is the confinement. Its own environment, the image's, stays underneath.
    fn told(&self) -> Open<()> {
        Open {
            build: env!("CARGO_PKG_VERSION").to_owned(),
            confinement: None,
            working_directory: self.working_directory.to_owned(),
            keeps_own_environment: true,
            spill_folder: Some(spill_folder()),
        }
    }

    async fn copy(&self, folder: &Path, place: &str) -> bool {
        let (client, source) = (self.client.clone(), folder.to_owned());
        let target = format!("{}:{place}", self.id);
        let copy = move || client.call(COPY, ["cp".into(), source.into_os_string(), target.into()]);
        match tokio::task::spawn_blocking(copy).await {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => {
                tracing::info!(%error, "the executor cannot be copied into the container");
                false
            }
            Err(_) => false,
        }
    }
}

/// In the container, and each session's own.
fn spill_folder() -> String {
    let mut random = [0; 8];
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    format!("/tmp/hermes-output-{}", hexadecimal(&random))
}

/// Whether the engine says that the container is not there or not running.
fn is_gone(error: &EnvironmentError) -> bool {
    matches!(error, EnvironmentError::Link { complaints, .. } if says_gone(complaints))
}

/// The words of docker and podman.
pub(super) fn says_gone(text: &str) -> bool {
    let text = text.to_lowercase();
    ["no such container", "is not running", "running containers", "state improper", "no container with"]
        .iter()
        .any(|words| text.contains(words))
}
