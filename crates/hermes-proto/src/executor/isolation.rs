//! What keeps an environment's commands in, layer by layer, as proven at its start.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One mechanism of confinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// No new privileges through set-user-id programs.
    NoNewPrivileges,
    /// A user namespace without capabilities outside it.
    UserNamespace,
    /// A file system view of its own: hidden, read-only and private places.
    MountNamespace,
    /// Only its own processes are visible, and all end with it.
    PidNamespace,
    /// System V and POSIX queues of its own.
    IpcNamespace,
    /// A host name of its own.
    UtsNamespace,
    /// File access by allow-list.
    Landlock,
    /// System calls by filter.
    Seccomp,
    /// Per-process limits.
    ResourceLimits,
    /// Memory, process and processor budgets of the whole environment.
    Cgroup,
    /// The network as configured (`on` has nothing to enforce).
    Network,
    /// Sockets that control other programs (engines, agents, buses) are out of reach.
    ControlSockets,
}

impl Layer {
    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoNewPrivileges => "no new privileges",
            Self::UserNamespace => "user namespace",
            Self::MountNamespace => "mount namespace",
            Self::PidNamespace => "process namespace",
            Self::IpcNamespace => "ipc namespace",
            Self::UtsNamespace => "host name namespace",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::ResourceLimits => "resource limits",
            Self::Cgroup => "cgroup",
            Self::Network => "network",
            Self::ControlSockets => "control sockets",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// The state of one layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LayerState {
    /// In force, and what it must prevent was tried and failed.
    Proven { proof: String },
    /// Not available here, and not required.
    Missing { reason: String },
    /// Switched off by configuration.
    Off,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerReport {
    pub layer: Layer,
    #[serde(flatten)]
    pub state: LayerState,
}

/// All layers of an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IsolationReport {
    pub layers: Vec<LayerReport>,
}

impl IsolationReport {
    /// The layers that are not in force although the configuration did not switch them off.
    pub fn missing(&self) -> impl Iterator<Item = (Layer, &str)> {
        self.layers.iter().filter_map(|report| match &report.state {
            LayerState::Missing { reason } => Some((report.layer, reason.as_str())),
            LayerState::Proven { .. } | LayerState::Off => None,
        })
    }
}
