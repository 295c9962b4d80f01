//! One container's verbs, each with its time limit and without a shell.

use std::time::Duration;

use hermes_sandbox::process::HelperError;
use serde_json::Value;

use super::arguments::{Disk, Init, RunSpec};
use super::binary::Client;
use super::digest::hexadecimal;
use super::error::DockerError;

const RUN: Duration = Duration::from_secs(120);
const START: Duration = Duration::from_secs(30);
const STOP: Duration = Duration::from_secs(30);
const REMOVE: Duration = Duration::from_secs(30);
const REMOVE_FAILED: Duration = Duration::from_secs(10);
const QUESTION: Duration = Duration::from_secs(10);
/// What processes in the container get to end by themselves.
const GRACE_SECONDS: &str = "10";

/// What the image and the engine's storage are like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    init: Init,
    disk: Disk,
}

impl Client {
    /// What has to be known before a container of this kind can be started.
    pub(super) fn facts(&self, spec: &RunSpec) -> Facts {
        std::thread::scope(|scope| {
            let disk = scope.spawn(|| self.usable_disk(spec.resources.disk));
            Facts { init: self.init_of(&spec.image), disk: disk.join().unwrap_or(Disk::Unlimited) }
        })
    }

    /// Starts a fresh container; answers its id. A failed start leaves none behind.
    pub(super) fn run_container(&self, mut spec: RunSpec, facts: Facts) -> Result<String, DockerError> {
        (spec.init, spec.resources.disk) = (facts.init, facts.disk);
        match self.try_run(&spec) {
            Err(DockerError::Run { source, .. })
                if spec.resources.disk != Disk::Unlimited && is_about_storage(&source) =>
            {
                tracing::warn!(%source, "the container has no disk limit: the engine cannot set one");
                spec.resources.disk = Disk::Unlimited;
                self.try_run(&spec)
            }
            outcome => outcome,
        }
    }

    fn try_run(&self, spec: &RunSpec) -> Result<String, DockerError> {
        let name = fresh_name();
        let image = || spec.image.clone();
        let started =
            self.call(RUN, spec.arguments(&name)).map_err(|source| DockerError::Run { image: image(), source });
        let id = started.and_then(|outcome| {
            let text = outcome.standard_output.text();
            // A pull may print before it.
            let id = text.lines().next_back().map(str::trim).filter(|id| !id.is_empty() && !id.contains(' '));
            id.map(str::to_owned).ok_or_else(|| DockerError::NoId { image: image() })
        });
        id.inspect_err(|_| {
            if let Err(error) = self.call(REMOVE_FAILED, ["rm", "-f", &name]) {
                tracing::warn!(%error, name, "what is left of a failed start cannot be removed");
            }
        })
    }

    pub(super) fn start_container(&self, id: &str) -> Result<(), HelperError> {
        self.call(START, ["start", id]).map(drop)
    }

    pub(super) fn stop_container(&self, id: &str) -> Result<(), DockerError> {
        let stopped = self.call(STOP, ["stop", "-t", GRACE_SECONDS, id]).map(drop);
        stopped.map_err(|source| DockerError::Stop { id: id.to_owned(), source })
    }

    pub(super) fn remove_container(&self, id: &str) -> Result<(), DockerError> {
        let removed = self.call(REMOVE, ["rm", "-f", id]).map(drop);
        removed.map_err(|source| DockerError::Remove { id: id.to_owned(), source })
    }

    /// Removes it unless it is running, which the engine decides at that moment.
    pub(super) fn remove_stopped_container(&self, id: &str) -> Result<(), DockerError> {
        let removed = self.call(REMOVE, ["rm", id]).map(drop);
        removed.map_err(|source| DockerError::Remove { id: id.to_owned(), source })
    }

    /// Whether the container has no network. Unknown counts as having one.
    pub(super) fn has_no_network(&self, id: &str) -> bool {
        let answer = self.call(QUESTION, ["inspect", "--format", "{{.HostConfig.NetworkMode}}", id]);
        answer.is_ok_and(|outcome| outcome.standard_output.text() == "none")
    }

    /// An image that brings an init must have it as its first process. One that cannot be
    /// looked at (not pulled yet) counts as ordinary.
    fn init_of(&self, image: &str) -> Init {
        let answer = self.call(QUESTION, ["image", "inspect", "--format", "{{json .Config.Entrypoint}}", image]);
        let entry = answer.ok().and_then(|outcome| serde_json::from_slice(&outcome.standard_output.bytes).ok());
        match entry.as_ref().and_then(|entry: &Value| entry.get(0)).and_then(Value::as_str) {
            Some("/init") => Init::Image,
            Some(path) if path.contains("s6-overlay") && path.ends_with("/init") => Init::Image,
            _ => Init::Engine,
        }
    }

    /// Only some storage drivers have quotas; asking one that has none fails the start.
    fn usable_disk(&self, wanted: Disk) -> Disk {
        if wanted == Disk::Unlimited {
            return wanted;
        }
        let answer = self.call(QUESTION, ["info", "--format", "{{.Driver}} {{json .DriverStatus}}"]);
        let storage = answer.map(|outcome| outcome.standard_output.text()).unwrap_or_default();
        let driver = storage.split(' ').next().unwrap_or_default();
        let has_quotas = matches!(driver, "btrfs" | "zfs") || (driver == "overlay2" && storage.contains("xfs"));
        if has_quotas {
            return wanted;
        }
        tracing::info!(driver, "the container has no disk limit: this storage has no quotas");
        Disk::Unlimited
    }
}

fn is_about_storage(error: &HelperError) -> bool {
    matches!(error, HelperError::Failed { outcome, .. } if {
        let said = outcome.standard_error.text().to_lowercase();
        said.contains("storage-opt") || said.contains("storage opt") || said.contains("pquota")
    })
}

/// `hermes-` and eight hexadecimal digits.
fn fresh_name() -> String {
    let mut random = [0; 4];
    // The kernel's generator cannot fail once it has been seeded, long before we run.
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    format!("hermes-{}", hexadecimal(&random))
}
