//! What a container was effectively made with, kept in the home beside its id.
//!
//! Labels find a container again, whatever has been configured since. Without this, a changed
//! image, mount or limit would silently have no effect for as long as the container lives.

use std::convert::Infallible;
use std::path::Path;

use hermes_home::files::{self, Change, FileError, Mode};
use serde::{Deserialize, Serialize};

use super::arguments::{Disk, Files, Network, RunSpec, User};
use super::digest::short_digest;

const NAME: &str = "container.json";

/// The settings that are compared, each as text. Variables may be secret: only a digest stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    image: String,
    mounts: Vec<String>,
    limits: Vec<String>,
    network: String,
    user: String,
    variables: String,
    extra_arguments: Vec<String>,
    executor: Option<String>,
}

/// The container of a task, as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) fingerprint: Fingerprint,
}

/// How a container that was found compares with what is configured now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Comparison {
    Same,
    /// In these respects.
    Different(Vec<&'static str>),
    /// Another home or program made it.
    Unknown,
}

impl Fingerprint {
    pub(super) fn of(spec: &RunSpec, executor: Option<&str>) -> Self {
        let mut mounts: Vec<String> = spec.volumes.iter().map(|volume| volume.text().to_owned()).collect();
        match &spec.files {
            Files::Kept { home, workspace } => mounts.extend([home, workspace].map(|one| one.text().to_owned())),
            Files::Temporary => mounts.push("temporary".to_owned()),
        }
        let resources = &spec.resources;
        let disk = match resources.disk {
            Disk::Unlimited => 0,
            Disk::Megabytes(megabytes) => megabytes,
        };
        let pairs: Vec<String> = spec.variables.iter().map(|(name, value)| format!("{name}={value}\0")).collect();
        Self {
            image: spec.image.clone(),
            mounts,
            limits: vec![
                format!("cpus {}", resources.processors),
                format!("memory {}m", resources.memory_megabytes),
                format!("shm {}", resources.shared_memory),
                format!("disk {disk}m"),
            ],
            network: match spec.network {
                Network::Engine => "engine".to_owned(),
                Network::None => "none".to_owned(),
            },
            user: match spec.user {
                User::Image => "image".to_owned(),
                User::Host { user, group } => format!("{user}:{group}"),
            },
            variables: short_digest(pairs.concat().as_bytes()),
            extra_arguments: spec.extra.clone(),
            executor: executor.map(str::to_owned),
        }
    }

    /// The respects in which two differ, as people call them.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
        let pairs = [
            ("image", self.image == other.image),
            ("mounts", self.mounts == other.mounts),
            ("limits", self.limits == other.limits),
            ("network", self.network == other.network),
            ("user", self.user == other.user),
            ("variables", self.variables == other.variables),
            ("extra arguments", self.extra_arguments == other.extra_arguments),
            ("version of hermes", self.executor == other.executor),
        ];
        pairs.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name).collect()
    }
}

/// Compares the container of this id with what would be made now.
pub(super) fn compare(folder: &Path, id: &str, now: &Fingerprint) -> Comparison {
    match read(folder) {
        Some(record) if is_same_id(&record.id, id) => match record.fingerprint.differences(now) {
            differences if differences.is_empty() => Comparison::Same,
            differences => Comparison::Different(differences),
        },
        _ => Comparison::Unknown,
    }
}

/// What is recorded; a record that cannot be read is as good as none.
pub(super) fn read(folder: &Path) -> Option<Record> {
    let bytes = files::read(&folder.join(NAME)).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

pub(super) fn write(folder: &Path, record: &Record) -> Result<(), FileError> {
    let bytes = serde_json::to_vec_pretty(record).unwrap_or_default();
    let replace = |_: Option<&[u8]>| Ok::<_, Infallible>(Change::Replace(bytes));
    Ok(files::update(folder, NAME, Mode::Private, replace)?)
}

/// Removes the record with its lock; only under the folder's own lock.
pub(super) fn remove(folder: &Path) {
    let _ = std::fs::remove_file(folder.join(NAME));
    let _ = std::fs::remove_file(folder.join("container.lock"));
}

/// Engines tell ids in a short and a long form.
pub(super) fn is_same_id(one: &str, other: &str) -> bool {
    !one.is_empty() && !other.is_empty() && (one.starts_with(other) || other.starts_with(one))
}
