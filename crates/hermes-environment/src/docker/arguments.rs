//! The arguments of `docker run`, from one struct, for every caller.
//!
//! Settings used to be dropped depending on which tool made the container. Here is the only
//! place that turns them into arguments, and what is in the struct is what is compared when a
//! container is found again.

use serde::{Deserialize, Serialize};

use super::labels::Labels;
use super::variables::Variables;
use super::volumes::{ROOT_HOME, Volume, WORKSPACE};

/// Everything a container is started with.
#[derive(Debug, Clone)]
pub(super) struct RunSpec {
    pub(super) labels: Labels,
    pub(super) image: String,
    pub(super) init: Init,
    pub(super) working_directory: String,
    pub(super) user: User,
    pub(super) hardening: Hardening,
    pub(super) files: Files,
    pub(super) resources: Resources,
    pub(super) network: Network,
    pub(super) volumes: Vec<Volume>,
    pub(super) variables: Variables,
    pub(super) extra: Vec<String>,
}

/// Who collects the ended processes of the container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Init {
    /// The engine's.
    Engine,
    /// The image's own, which also wants to start programs from /run.
    Image,
}

/// Whose processes they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    Image,
    Host { user: u32, group: u32 },
}

/// How much of the usual hardening the engine takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hardening {
    Full,
    /// Docker from snap refuses an init and no-new-privileges.
    Snap,
}

/// What /workspace and the homes are made of where no volume is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Files {
    /// Folders of the host, which outlive the container.
    Kept {
        home: Volume,
        workspace: Volume,
    },
    Temporary,
}

/// 0 and empty mean no limit of ours.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Resources {
    pub(super) processors: f64,
    pub(super) memory_megabytes: u64,
    pub(super) shared_memory: String,
    pub(super) disk: Disk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disk {
    Unlimited,
    Megabytes(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Network {
    Engine,
    None,
}

const CAPABILITIES: [&str; 3] = ["DAC_OVERRIDE", "CHOWN", "FOWNER"];
/// An image that starts as root may want to become somebody else.
const PRIVILEGE_DROP: [&str; 2] = ["SETUID", "SETGID"];
const PROCESSES: &str = "256";

impl RunSpec {
    /// What follows the program's name.
    pub(super) fn arguments(&self, name: &str) -> Vec<String> {
        let mut arguments = words(&["run", "-d"]);
        if self.init == Init::Engine && self.hardening == Hardening::Full {
            arguments.push("--init".to_owned());
        }
        arguments.extend(words(&["--name", name]));
        for (key, value) in self.labels.pairs() {
            arguments.extend(["--label".to_owned(), format!("{key}={value}")]);
        }
        arguments.extend(words(&["-w", &self.working_directory]));
        arguments.extend(self.security());
        if let User::Host { user, group } = self.user {
            arguments.extend(["--user".to_owned(), format!("{user}:{group}")]);
        }
        arguments.extend(self.mounts());
        arguments.extend(self.limits());
        arguments.extend(self.volumes.iter().flat_map(|volume| ["-v".to_owned(), volume.text().to_owned()]));
        arguments.extend(self.variables.iter().flat_map(|(name, value)| ["-e".to_owned(), format!("{name}={value}")]));
        arguments.extend(self.extra.iter().cloned());
        arguments.extend(words(&[&self.image, "sleep", "infinity"]));
        arguments
    }

    fn security(&self) -> Vec<String> {
        let mut arguments = words(&["--cap-drop", "ALL"]);
        let drops: &[&str] = if self.user == User::Image { &PRIVILEGE_DROP } else { &[] };
        for capability in CAPABILITIES.iter().chain(drops) {
            arguments.extend(words(&["--cap-add", capability]));
        }
        if self.hardening == Hardening::Full {
            arguments.extend(words(&["--security-opt", "no-new-privileges"]));
        }
        arguments.extend(words(&["--pids-limit", PROCESSES]));
        let run = match self.init {
            Init::Engine => "/run:rw,noexec,nosuid,size=64m",
            Init::Image => "/run:rw,exec,nosuid,size=64m",
        };
        for place in ["/tmp:rw,nosuid,size=512m", "/var/tmp:rw,noexec,nosuid,size=256m", run] {
            arguments.extend(words(&["--tmpfs", place]));
        }
        arguments
    }

    /// /workspace and the homes, unless a volume is there already.
    fn mounts(&self) -> Vec<String> {
        let is_free = |place: &str| !self.volumes.iter().any(|volume| volume.is_at(place));
        let mut arguments = Vec::new();
        match &self.files {
            Files::Kept { home, workspace } => {
                for (volume, place) in [(home, ROOT_HOME), (workspace, WORKSPACE)] {
                    if is_free(place) {
                        arguments.extend(words(&["-v", volume.text()]));
                    }
                }
            }
            Files::Temporary => {
                for (place, size) in [(WORKSPACE, "10g"), ("/home", "1g"), (ROOT_HOME, "1g")] {
                    if is_free(place) {
                        arguments.extend(["--tmpfs".to_owned(), format!("{place}:rw,exec,size={size}")]);
                    }
                }
            }
        }
        arguments
    }

    fn limits(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if self.resources.processors > 0.0 {
            arguments.extend(["--cpus".to_owned(), self.resources.processors.to_string()]);
        }
        if self.resources.memory_megabytes > 0 {
            arguments.extend(["--memory".to_owned(), format!("{}m", self.resources.memory_megabytes)]);
        }
        if !self.resources.shared_memory.is_empty() {
            arguments.extend(words(&["--shm-size", &self.resources.shared_memory]));
        }
        if let Disk::Megabytes(megabytes) = self.resources.disk {
            arguments.extend(["--storage-opt".to_owned(), format!("size={megabytes}m")]);
        }
        if self.network == Network::None {
            arguments.push("--network=none".to_owned());
        }
        arguments
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
