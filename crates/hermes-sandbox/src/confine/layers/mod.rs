//! The table of layers: how each is put on, and what is tried to see that it holds.
//!
//! Order matters twice. Namespaces and mounts need privileges that later layers take
//! away; the filter of system calls comes last because it forbids what the others use.

mod control_sockets;
mod group;
mod landlock;
mod limits;
mod namespaces;
mod network;
mod privileges;
mod seccomp;
mod syscalls;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;

use hermes_proto::executor::Layer;
use rustix::thread::UnshareFlags;

pub(super) use self::control_sockets::sockets_of;
pub(super) use self::group::Group;
pub(super) use self::limits::volunteer;
pub(super) use self::namespaces::namespaces_of;
use super::outside::Outside;
use super::places::Places;
use super::{Confinement, Network, Rehearsal, mounts};

/// One layer.
pub(super) struct Row {
    pub(super) layer: Layer,
    pub(super) stage: Stage,
    pub(super) apply: fn(&Entering<'_>) -> Result<Applied, Failed>,
    /// What was tried and failed as it should; else what succeeded.
    pub(super) prove: fn(&Entering<'_>) -> Result<String, String>,
}

/// What a failure to apply means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// All namespaces are given up, and the rest is put on without them.
    Namespaces,
    /// The process is not confined and must not go on.
    Restrictions,
}

/// In the order in which they are applied.
pub(super) const TABLE: &[Row] = &[
    row(Layer::Cgroup, Stage::Restrictions, group::apply, group::prove),
    row(Layer::UserNamespace, Stage::Namespaces, namespaces::apply_user, namespaces::prove_user),
    row(Layer::UtsNamespace, Stage::Namespaces, namespaces::apply_uts, namespaces::prove_uts),
    row(Layer::IpcNamespace, Stage::Namespaces, namespaces::apply_ipc, namespaces::prove_ipc),
    row(Layer::Network, Stage::Namespaces, network::apply, network::prove),
    row(Layer::MountNamespace, Stage::Namespaces, mounts::apply, mounts::prove),
    row(Layer::PidNamespace, Stage::Namespaces, namespaces::apply_pid, namespaces::prove_pid),
    row(Layer::ResourceLimits, Stage::Restrictions, limits::apply, limits::prove),
    row(Layer::NoNewPrivileges, Stage::Restrictions, privileges::apply, privileges::prove),
    row(Layer::Landlock, Stage::Restrictions, landlock::apply, landlock::prove),
    row(Layer::ControlSockets, Stage::Restrictions, control_sockets::apply, control_sockets::prove),
    row(Layer::Seccomp, Stage::Restrictions, seccomp::apply, seccomp::prove),
];

const fn row(
    layer: Layer,
    stage: Stage,
    apply: fn(&Entering<'_>) -> Result<Applied, Failed>,
    prove: fn(&Entering<'_>) -> Result<String, String>,
) -> Row {
    Row { layer, stage, apply, prove }
}

/// What came of applying a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Applied {
    /// Claimed, to be proven.
    InForce,
    Missing(String),
    /// Nothing was asked for.
    NotWanted,
}

/// A step that did not work although it should have.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) step: &'static str,
    pub(super) source: io::Error,
}

/// Names the step that failed.
pub(super) trait Step<T> {
    fn step(self, step: &'static str) -> Result<T, Failed>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, step: &'static str) -> Result<T, Failed> {
        self.map_err(|error| Failed { step, source: error.into() })
    }
}

/// Everything the layers need to know, and what they tell each other.
pub(super) struct Entering<'a> {
    pub(super) confinement: &'a Confinement,
    pub(super) rehearsal: &'a Rehearsal,
    pub(super) places: Places,
    pub(super) outside: Outside,
    pub(super) group: Result<Group, String>,
    namespaces: Result<(), String>,
    applied: RefCell<BTreeMap<Layer, Applied>>,
    /// Why `/proc` still shows the host's processes.
    stale_proc: RefCell<Option<String>>,
    unix_sockets: Cell<UnixSockets>,
}

/// Whether programs may make sockets of the local kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnixSockets {
    Allowed,
    /// Only connected pairs.
    PairsOnly,
}

impl<'a> Entering<'a> {
    pub(super) fn new(
        confinement: &'a Confinement,
        rehearsal: &'a Rehearsal,
        places: Places,
        outside: Outside,
        group: Result<Group, String>,
    ) -> Self {
        Self {
            confinement,
            rehearsal,
            places,
            outside,
            group,
            namespaces: Ok(()),
            applied: RefCell::default(),
            stale_proc: RefCell::default(),
            unix_sockets: Cell::new(UnixSockets::Allowed),
        }
    }

    /// Whether this process is in namespaces of its own; else why not.
    pub(super) fn namespaces(&self) -> Result<(), String> {
        self.namespaces.clone()
    }

    pub(super) fn give_up_namespaces(&mut self, reason: String) {
        self.namespaces = Err(reason);
    }

    pub(super) fn has(&self, layer: Layer) -> bool {
        self.applied.borrow().get(&layer) == Some(&Applied::InForce)
    }

    pub(super) fn applied(&self, layer: Layer) -> Applied {
        let never = || Applied::Missing("not tried".to_owned());
        self.applied.borrow().get(&layer).cloned().unwrap_or_else(never)
    }

    pub(super) fn note_proc(&self, refusal: Option<io::Error>) {
        *self.stale_proc.borrow_mut() =
            refusal.map(|error| format!("a fresh /proc is refused ({error}), so processes outside stay visible"));
    }

    /// Applies one layer, unless a test wants to see its proof fail.
    pub(super) fn apply(&self, row: &Row) -> Result<(), Failed> {
        let applied = if self.rehearsal.unapplied == Some(row.layer) {
            Applied::InForce
        } else if self.rehearsal.unavailable.contains(&row.layer) {
            Applied::Missing("made unavailable".to_owned())
        } else {
            (row.apply)(self)?
        };
        self.applied.borrow_mut().insert(row.layer, applied);
        Ok(())
    }

    /// The namespaces that this confinement is made of.
    pub(super) fn wanted_namespaces(&self) -> UnshareFlags {
        let network = (self.confinement.network != Network::On).then_some(Layer::Network);
        let layers = [
            Layer::UserNamespace,
            Layer::MountNamespace,
            Layer::PidNamespace,
            Layer::IpcNamespace,
            Layer::UtsNamespace,
        ];
        let wanted = layers.into_iter().chain(network).filter(|layer| self.rehearsal.unapplied != Some(*layer));
        wanted.map(namespaces_of).fold(UnshareFlags::empty(), |all, one| all | one)
    }
}

/// Says what a system call answered that should have failed with one of these errors.
fn must_fail<T>(what: &str, outcome: rustix::io::Result<T>, expected: &[rustix::io::Errno]) -> Result<(), String> {
    match outcome.map(drop) {
        Ok(()) => Err(format!("{what} succeeded")),
        Err(error) if expected.contains(&error) => Ok(()),
        Err(error) => Err(format!("{what} failed for another reason: {error}")),
    }
}
