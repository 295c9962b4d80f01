//! From the home and its configuration to everything a container is made from.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_home::Home;
use hermes_home::config::Terminal;
use hermes_policy::Isolation;
use hermes_proto::HostEnvironment;
use serde_json::Value;

use super::arguments::{Disk, Files, Hardening, Init, Network, Resources, RunSpec, User};
use super::binary::Search;
use super::error::DockerError;
use super::labels::Labels;
use super::shown::shown_to_container;
use super::task::folder_name;
use super::variables::{ContainerVariables, ForwardedNames, normalized};
use super::volumes::{self, ROOT_HOME, Volume, WORKSPACE};

/// What a Docker environment is made from.
#[derive(Debug)]
pub struct DockerPlan<'a> {
    pub home: &'a Home,
    pub terminal: &'a Terminal,
    pub host: &'a HostEnvironment,
    /// Which container: environments of one task share it.
    pub task: &'a str,
    /// The directory that `docker_mount_cwd_to_workspace` speaks of.
    pub host_directory: Option<PathBuf>,
    /// Who this process runs as.
    pub account: HostAccount,
    pub executor: ExecutorSource,
}

/// The account that `docker_run_as_host_user` speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostAccount {
    Posix {
        user: u32,
        group: u32,
    },
    /// A host without such numbers.
    Unknown,
}

impl HostAccount {
    /// Of this process.
    pub fn own() -> Self {
        Self::Posix { user: rustix::process::geteuid().as_raw(), group: rustix::process::getegid().as_raw() }
    }
}

/// What runs beside the commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecutorSource {
    /// This program, started as `hermes executor`.
    Program(PathBuf),
    /// Nothing: every command is a `docker exec` of its own.
    None,
}

impl ExecutorSource {
    /// The running binary itself, whatever has become of its file since.
    pub fn own() -> Self {
        Self::Program("/proc/self/exe".into())
    }
}

/// Whether a container is found again by other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    AcrossProcesses,
    ThisProcess,
}

/// Whether containers that nobody uses any more are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reaping {
    On,
    Off,
}

/// The plan, checked and self-contained.
#[derive(Debug, Clone)]
pub struct DockerSettings {
    pub(super) search: Search,
    pub(super) home: Home,
    /// `sandboxes/docker`.
    pub(super) sandboxes: PathBuf,
    /// `sandboxes/docker/<task>`.
    pub(super) folder: PathBuf,
    pub(super) spec: RunSpec,
    pub(super) reuse: Reuse,
    pub(super) reaping: Reaping,
    pub(super) lifetime: Duration,
    pub(super) variables: ContainerVariables,
    pub(super) executor: ExecutorSource,
    /// What the container keeps from the host.
    pub(super) isolation: Isolation,
    pub(super) notes: Vec<String>,
}

impl DockerPlan<'_> {
    /// Checks the plan. Nothing is asked or started.
    pub fn settings(&self) -> Result<Arc<DockerSettings>, DockerError> {
        let terminal = self.terminal;
        let mut notes = Vec::new();
        let sandboxes = sandboxes(self.home, terminal);
        let folder = sandboxes.join(folder_name(self.task));
        let spec = self.spec(&folder, &mut notes)?;
        hermes_home::dotenv::load(self.home)?;
        Ok(Arc::new(DockerSettings {
            search: Search::of(self.host),
            home: self.home.clone(),
            sandboxes,
            folder,
            variables: ContainerVariables {
                configured: spec.variables.clone(),
                names: ForwardedNames::of(terminal),
                host: Arc::new(self.host.clone()),
                home: self.home.clone(),
            },
            spec,
            reuse: if terminal.docker_persist_across_processes { Reuse::AcrossProcesses } else { Reuse::ThisProcess },
            reaping: if terminal.docker_orphan_reaper { Reaping::On } else { Reaping::Off },
            lifetime: Duration::from_secs(terminal.lifetime_seconds),
            executor: self.executor.clone(),
            isolation: self.isolation(),
            notes,
        }))
    }

    fn spec(&self, folder: &Path, notes: &mut Vec<String>) -> Result<RunSpec, DockerError> {
        let terminal = self.terminal;
        let user_home = self.host.path("HOME");
        let mut volumes =
            self.host_volume(&volumes::configured(&terminal.docker_volumes, user_home.as_deref(), notes))?;
        let has_host_directory = volumes.len() > terminal.docker_volumes.len();
        volumes.extend(shown_to_container(self.home, terminal, notes)?);
        Ok(RunSpec {
            labels: self.labels(),
            image: terminal.docker_image.clone(),
            init: Init::Engine,
            working_directory: self.working_directory(has_host_directory, notes),
            user: self.user(notes),
            hardening: if terminal.docker_snap_compat { Hardening::Snap } else { Hardening::Full },
            files: files(terminal, folder)?,
            resources: resources(terminal),
            network: self.network()?,
            volumes,
            variables: normalized(&Value::Object(terminal.docker_env.clone().into_iter().collect())),
            extra: terminal.docker_extra_args.clone(),
        })
    }

    /// Whether commands reach files of the host. Our own folders and what is shown read-only do not count.
    fn isolation(&self) -> Isolation {
        let terminal = self.terminal;
        let has_host_directory = terminal.docker_mount_cwd_to_workspace && self.host_directory.is_some();
        let has_host_volume = terminal.docker_volumes.iter().any(|text| volumes::is_of_host(text));
        if has_host_directory || has_host_volume || opens_the_host(&terminal.docker_extra_args) {
            Isolation::ContainerWithHostMount
        } else {
            Isolation::Container
        }
    }

    fn labels(&self) -> Labels {
        match self.terminal.docker_shared_container_key.as_str() {
            "" => Labels::new(self.task, self.home.name().as_str()),
            key => Labels::shared(self.task, key),
        }
    }

    /// The host's directory comes first; what the user put at /workspace beats it.
    fn host_volume(&self, configured: &[Volume]) -> Result<Vec<Volume>, DockerError> {
        let is_wanted = self.terminal.docker_mount_cwd_to_workspace;
        let is_taken = configured.iter().any(|volume| volume.is_at(WORKSPACE));
        let directory = self.host_directory.as_deref().filter(|path| is_wanted && !is_taken && path.is_dir());
        let mut volumes = Vec::new();
        volumes.extend(directory.map(|path| Volume::bind(path, WORKSPACE)).transpose()?);
        volumes.extend(configured.iter().cloned());
        Ok(volumes)
    }

    /// Where commands start. A path of the host means nothing in a container.
    fn working_directory(&self, has_host_directory: bool, notes: &mut Vec<String>) -> String {
        let own = if has_host_directory { WORKSPACE } else { ROOT_HOME };
        match self.terminal.cwd.trim() {
            "" | "." => own.to_owned(),
            "~" => ROOT_HOME.to_owned(),
            path if path.starts_with("~/") => format!("{ROOT_HOME}{}", path.trim_start_matches('~')),
            path if path.starts_with('/') && !self.is_of_host(path) => path.to_owned(),
            path => {
                notes.push(format!("terminal.cwd {path:?} is a place on the host; commands start in {own}"));
                own.to_owned()
            }
        }
    }

    fn is_of_host(&self, path: &str) -> bool {
        let home = self.host.path("HOME").filter(|home| home != Path::new("/") && home != Path::new(ROOT_HOME));
        ["/home/", "/Users/"].iter().any(|prefix| path.starts_with(prefix))
            || home.is_some_and(|home| Path::new(path).starts_with(home))
    }

    fn user(&self, notes: &mut Vec<String>) -> User {
        match (self.terminal.docker_run_as_host_user, self.account) {
            (false, _) => User::Image,
            (true, HostAccount::Posix { user, group }) => User::Host { user, group },
            (true, HostAccount::Unknown) => {
                let text = "docker_run_as_host_user: this host does not expose POSIX uid/gid; the image's user is kept";
                tracing::warn!("{text}");
                notes.push(text.to_owned());
                User::Image
            }
        }
    }

    fn network(&self) -> Result<Network, DockerError> {
        if self.terminal.docker_network {
            return Ok(Network::Engine);
        }
        match asked_network(&self.terminal.docker_extra_args) {
            Some(other) if other != "none" => Err(DockerError::NetworkConflict(format!("--network {other}"))),
            _ => Ok(Network::None),
        }
    }
}

/// The network that extra arguments ask for.
fn asked_network(extra: &[String]) -> Option<&str> {
    let mut words = extra.iter().map(String::as_str);
    let mut asked = None;
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some(("--network" | "--net", value)) => asked = Some(value),
            None if word == "--network" || word == "--net" => asked = words.next().or(asked),
            _ => {}
        }
    }
    asked
}

/// Whether extra arguments may give a container something of the host, or the means to take it. What
/// they ask for in detail is not read: asking once too often is the safe side.
fn opens_the_host(extra: &[String]) -> bool {
    const OPENING: [&str; 15] = [
        "--volume",
        "--volumes-from",
        "--mount",
        "--privileged",
        "--device",
        "--device-cgroup-rule",
        "--cap-add",
        "--security-opt",
        "--pid",
        "--ipc",
        "--userns",
        "--cgroupns",
        "--cgroup-parent",
        "--runtime",
        "--group-add",
    ];
    let is_opening = |word: &String| {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        OPENING.contains(&name) || word.starts_with("-v")
    };
    extra.iter().any(is_opening) || asked_network(extra).is_some_and(|network| network == "host")
}

/// The folder of all Docker environments of a home.
pub(super) fn sandboxes(home: &Home, terminal: &Terminal) -> PathBuf {
    let configured = Some(terminal.sandbox_dir.trim()).filter(|folder| !folder.is_empty());
    configured.map_or_else(|| home.path().join("sandboxes"), PathBuf::from).join("docker")
}

fn files(terminal: &Terminal, folder: &Path) -> Result<Files, DockerError> {
    if !terminal.container_persistent {
        return Ok(Files::Temporary);
    }
    let home = Volume::bind(&folder.join("home"), ROOT_HOME)?;
    Ok(Files::Kept { home, workspace: Volume::bind(&folder.join("workspace"), WORKSPACE)? })
}

fn resources(terminal: &Terminal) -> Resources {
    Resources {
        processors: terminal.container_cpu,
        memory_megabytes: terminal.container_memory,
        shared_memory: terminal.docker_shm_size.trim().to_owned(),
        disk: match terminal.container_disk {
            0 => Disk::Unlimited,
            megabytes => Disk::Megabytes(megabytes),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{asked_network, opens_the_host};

    #[test]
    fn arguments_that_open_the_host_are_seen_in_any_form() {
        let check = |extra: &[&str], expected: bool| {
            let extra: Vec<String> = extra.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(opens_the_host(&extra), expected, "{extra:?}");
        };
        check(&[], false);
        check(&["--dns", "1.1.1.1", "--network=bridge", "--label", "a=b", "--hostname=v"], false);
        check(&["-v", "/:/host"], true);
        check(&["-v/:/host"], true);
        check(&["--volume=/:/host"], true);
        check(&["--dns=1.1.1.1", "--mount", "type=bind,source=/,target=/host"], true);
        check(&["--privileged"], true);
        check(&["--privileged=true"], true);
        check(&["--net", "host"], true);
        check(&["--pid=host"], true);
    }

    #[test]
    fn a_network_is_asked_for_in_either_form() {
        let check = |extra: &[&str], expected: Option<&str>| {
            let extra: Vec<String> = extra.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(asked_network(&extra), expected, "{extra:?}");
        };
        check(&[], None);
        check(&["--network", "host"], Some("host"));
        check(&["--net=host", "--dns", "1.1.1.1"], Some("host"));
        check(&["--network=none", "--network", "bridge"], Some("bridge"));
        check(&["--label", "--network-alias=x"], None);
    }
}
