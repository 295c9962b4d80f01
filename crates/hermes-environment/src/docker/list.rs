//! All containers with our label, for people who want to see and end them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hermes_home::Home;
use hermes_home::config::Terminal;
use hermes_sandbox::process::{Captured, HelperError};
use serde::Deserialize;

use super::binary::Client;
use super::error::DockerError;
use super::fingerprint::{self, is_same_id};
use super::labels::{AGENT, PROFILE, TASK};
use super::lock;
use super::orphans::parse_time;
use super::plan::sandboxes;

const LIST: Duration = Duration::from_secs(15);
/// Some hundred containers.
const MOST_OUTPUT: usize = 4 << 20;
/// One line of JSON each. Podman has no `.Label`, and both have this.
const TEMPLATE: &str = r#"{"id":{{json .Id}},"name":{{json .Name}},"image":{{json .Config.Image}},"labels":{{json .Config.Labels}},"state":{{json .State.Status}},"created":{{json .Created}},"finished":{{json .State.FinishedAt}}}"#;

/// A container of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: String,
    pub name: String,
    pub image: String,
    pub task: String,
    pub profile: String,
    /// As the engine calls it: running, exited, created, paused, dead.
    pub state: String,
    pub created: Option<SystemTime>,
    pub finished: Option<SystemTime>,
}

#[derive(Debug, Deserialize)]
struct Inspected {
    id: String,
    name: String,
    image: String,
    labels: Option<BTreeMap<String, String>>,
    state: String,
    created: String,
    finished: String,
}

impl Listed {
    /// Twelve digits, as the engines show it.
    pub fn short_id(&self) -> &str {
        self.id.get(..12).unwrap_or(&self.id)
    }

    /// Whether a person means this one: by a part of its id, its name or its task.
    pub fn is_called(&self, name: &str) -> bool {
        (name.len() >= 4 && self.id.starts_with(name)) || self.name == name || self.task == name
    }
}

/// All of them, whatever their profile, the oldest first.
pub fn list(client: &Client) -> Result<Vec<Listed>, DockerError> {
    let filter = format!("label={AGENT}=1");
    let ids = client.call(LIST, ["ps", "-a", "--filter", &filter, "--format", "{{.ID}}"]).map_err(DockerError::List)?;
    let ids: Vec<String> = ids.standard_output.text().lines().map(|id| id.trim().to_owned()).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let arguments = ["inspect", "--format", TEMPLATE].map(str::to_owned).into_iter().chain(ids);
    let told = match client.helper(LIST).output_limit(MOST_OUTPUT).args(arguments).run() {
        Ok(outcome) => outcome.standard_output,
        // One that has just gone fails the call; the others were told all the same.
        Err(HelperError::Failed { outcome, .. }) => outcome.standard_output,
        Err(error) => return Err(DockerError::List(error)),
    };
    let mut listed = parse(&told)?;
    listed.sort_by_key(|one| one.created);
    Ok(listed)
}

/// Stops one.
pub fn stop(client: &Client, listed: &Listed) -> Result<(), DockerError> {
    client.stop_container(&listed.id)
}

/// Removes one that is not running; one that was started meanwhile is refused by the engine.
pub fn remove(client: &Client, listed: &Listed) -> Result<(), DockerError> {
    client.remove_stopped_container(&listed.id)
}

/// Forgets what a home knows about a container that has been removed.
pub fn forget(home: &Home, terminal: &Terminal, id: &str) {
    lock::forget(&sandboxes(home, terminal), id);
}

/// The folder of a container's files in this home, if this home made it.
pub fn folder_of(home: &Home, terminal: &Terminal, id: &str) -> Option<PathBuf> {
    let folders = std::fs::read_dir(sandboxes(home, terminal)).ok()?;
    folders.flatten().map(|entry| entry.path()).find(|folder| is_of(folder, id))
}

fn is_of(folder: &Path, id: &str) -> bool {
    fingerprint::read(folder).is_some_and(|record| is_same_id(&record.id, id))
}

fn parse(told: &Captured) -> Result<Vec<Listed>, DockerError> {
    let text = told.text();
    let lines = text.lines().filter(|line| line.starts_with('{'));
    let parsed = lines.map(|line| serde_json::from_str::<Inspected>(line).map(listed));
    parsed.collect::<Result<_, _>>().map_err(|error| DockerError::Listing { detail: error.to_string() })
}

fn listed(inspected: Inspected) -> Listed {
    let labels = inspected.labels.unwrap_or_default();
    let label = |name: &str| labels.get(name).cloned().unwrap_or_default();
    Listed {
        task: label(TASK),
        profile: label(PROFILE),
        name: inspected.name.trim_start_matches('/').to_owned(),
        id: inspected.id,
        image: inspected.image,
        state: inspected.state,
        created: parse_time(&inspected.created),
        finished: parse_time(&inspected.finished),
    }
}
