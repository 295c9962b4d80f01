//! What is asked of a confinement: plain data that travels to the child that confines itself.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a process is to be kept from, and kept to.
///
/// Of two places where one lies inside the other, the inner one decides: a workspace
/// inside a hidden home is writable, a hidden folder inside a workspace is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    pub mode: Mode,
    /// Read and write: the workspace and extra paths. All must exist.
    pub writable: Vec<PathBuf>,
    /// Read-only exceptions inside hidden places. Missing ones are passed over.
    pub readable: Vec<PathBuf>,
    /// Not reachable, not even by listing. Missing ones are passed over.
    pub hidden: Vec<PathBuf>,
    pub network: Network,
    pub limits: Limits,
    /// The host name inside a namespace of its own.
    pub host_name: String,
}

/// How much a missing layer matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// What the kernel gives; what is missing is reported.
    Auto,
    /// Everything, or no start.
    Strict,
    /// Nothing.
    Off,
}

/// What can be reached over the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    On,
    Off,
    /// Only what listens inside the confinement itself.
    Loopback,
}

/// Budgets. `None` leaves what the system has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Of everything inside together; of each process where no cgroup can be made.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u64>,
    /// Most processor time, in percent of one core: 250 is two and a half.
    pub processor_percent: Option<u32>,
    /// Share among others when the processors are busy, from 1 to 10000; others have 100.
    pub processor_weight: Option<u32>,
    /// Descriptors of each process.
    pub open_files: Option<u64>,
    /// Each of the private `/tmp`, `/var/tmp` and `/dev/shm`.
    pub temporary_bytes: Option<u64>,
    /// The longest file that may be written.
    pub file_bytes: Option<u64>,
}

impl Limits {
    /// Whether a budget is asked for that only a control group keeps for all processes together.
    pub(super) fn wants_group(&self) -> bool {
        self.memory_bytes.is_some()
            || self.processes.is_some()
            || self.processor_percent.is_some()
            || self.processor_weight.is_some()
    }
}
