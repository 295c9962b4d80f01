//! One trait of service managers, and which of them is here.
//!
//! A wrong guess is worse than none: a command that believes in s6 where there is none would say
//! "started" and start nothing. So detection asks only what anybody may read, and doubt means no.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use hermes_home::files::FileError;
use hermes_home::intent::{self, Intent};
use hermes_home::{HomeName, HomeRoot};
use hermes_proto::{Explain, Fault, HostEnvironment};
use hermes_sandbox::process::HelperError;

use crate::places::Places;
use crate::{NoManager, S6, SystemdUser};

/// Who supervises services here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManagerKind {
    S6,
    SystemdUser,
    None,
}

impl ManagerKind {
    /// As `hermes status` says it.
    pub fn description(self) -> &'static str {
        match self {
            Self::S6 => "s6 (container supervisor)",
            Self::SystemdUser => "systemd (user)",
            Self::None => "none",
        }
    }
}

/// Whether a service that has just been registered runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartAfter {
    Now,
    WhenAsked,
}

/// A service to be made known.
#[derive(Debug, Clone)]
pub struct Registration {
    /// Added to what the service's environment holds anyway.
    pub environment: BTreeMap<String, String>,
    pub start: StartAfter,
}

/// What a service does at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceState {
    Absent,
    Down,
    Running { process: i32 },
}

/// What is known about a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceStatus {
    pub state: ServiceState,
    /// Whether the manager would start it if it ended now.
    pub wanted: bool,
    /// Why it is not running as it should, if that is known.
    pub reason: Option<String>,
}

/// Starts, stops and watches the gateways of homes. Every call returns when it is done, not when
/// it has been asked for. A start, stop or restart is the operator's wish, and is kept as such.
pub trait ServiceManager {
    fn kind(&self) -> ManagerKind;

    /// Whether services can be made known while others run.
    fn supports_registration(&self) -> bool;

    fn start(&self, home: &HomeName) -> Result<(), ServiceError>;

    fn stop(&self, home: &HomeName) -> Result<(), ServiceError>;

    fn restart(&self, home: &HomeName) -> Result<(), ServiceError>;

    fn status(&self, home: &HomeName) -> Result<ServiceStatus, ServiceError>;

    /// Makes a service known; an error if it already is.
    fn register(&self, home: &HomeName, registration: &Registration) -> Result<(), ServiceError>;

    /// Ends a service and forgets it; one that is not known is no error.
    fn unregister(&self, home: &HomeName) -> Result<(), ServiceError>;

    /// The homes whose services are known, sorted.
    fn list(&self) -> Result<Vec<HomeName>, ServiceError>;
}

/// Why a service is not as it was asked to be.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error("no such gateway '{home}'")]
    NotRegistered { home: HomeName },
    #[error("the gateway of '{home}' is already registered")]
    AlreadyRegistered { home: HomeName },
    #[error("{} cannot register services at run time", kind.description())]
    NotSupported { kind: ManagerKind },
    #[error("no supported service manager detected")]
    NoManager,
    #[error("cannot {action} service {service}: {source}")]
    Command { service: String, action: &'static str, source: HelperError },
    #[error("systemd cannot {action} {unit}: {source}")]
    Unit { unit: String, action: &'static str, source: HelperError },
    #[error("the gateway of '{home}' belongs to container {owner}, which uses this volume")]
    OwnedElsewhere { home: HomeName, owner: String },
    #[error("cannot {action} {}: {source}", path.display())]
    Slot { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{} describes no service: {source}", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
    #[error("the scanner did not take up service {service} in time")]
    NotTakenUp { service: String },
    #[error("the supervisor of service {service} did not end in time")]
    StillSupervised { service: String },
    #[error("the intent of '{home}' cannot be kept: {source}")]
    Intent { home: HomeName, source: FileError },
}

impl ServiceError {
    /// For `map_err`: what was being done to which path.
    pub(crate) fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Slot { action, path, source }
    }
}

impl Explain for ServiceError {
    fn fault(&self) -> Fault {
        match self {
            Self::NotTakenUp { .. } | Self::StillSupervised { .. } => Fault::TryAgain,
            Self::Intent { source, .. } => source.fault(),
            _ => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotRegistered { home: HomeName::Profile(name) } => {
                Some(format!("register it with: hermes profile create {name}; or pass an existing profile with -p"))
            }
            Self::NotRegistered { home: HomeName::Default } => Some("restart the container".to_owned()),
            Self::OwnedElsewhere { owner, .. } => Some(format!("ask there: docker exec {owner} hermes gateway …")),
            Self::Unit { unit, .. } => Some(format!("see: journalctl --user -u {unit}")),
            Self::Command { source, .. } => source.hint(),
            Self::Intent { source, .. } => source.hint(),
            Self::NotSupported { .. } => Some("services of profiles exist only inside the container image".to_owned()),
            _ => None,
        }
    }
}

/// Keeps what the operator wants, for a home that is there.
pub(crate) fn keep_intent(root: &HomeRoot, home: &HomeName, intent: Intent) -> Result<(), ServiceError> {
    let path = root.path_of(home);
    if !path.is_dir() {
        return Ok(());
    }
    intent::keep(&path, intent).map_err(|source| ServiceError::Intent { home: home.clone(), source })
}

/// The manager of this machine or container.
pub fn detect(environment: &HostEnvironment, root: &HomeRoot) -> Box<dyn ServiceManager> {
    let places = Places::of_image();
    if is_s6(Path::new("/proc/1/comm"), &places.base()) {
        return Box::new(S6::new(places, root.clone()));
    }
    match SystemdUser::find(environment, root) {
        Some(systemd) => Box::new(systemd),
        None => Box::new(NoManager),
    }
}

/// Both signs or it is not s6. Only what every user can read is asked.
fn is_s6(first_process: &Path, base: &Path) -> bool {
    std::fs::read(first_process).is_ok_and(|name| name.trim_ascii_end() == b"s6-svscan") && base.is_dir()
}

#[cfg(test)]
mod tests {
    use super::is_s6;

    #[test]
    fn s6_is_believed_only_with_both_signs() {
        let folder = tempfile::tempdir().unwrap();
        let (comm, base) = (folder.path().join("comm"), folder.path().join("basedir"));
        assert!(!is_s6(&comm, &base), "neither is there");
        std::fs::write(&comm, "s6-svscan\n").unwrap();
        assert!(!is_s6(&comm, &base), "no base folder");
        std::fs::write(&base, "").unwrap();
        assert!(!is_s6(&comm, &base), "a file is no folder");
        std::fs::remove_file(&base).unwrap();
        std::fs::create_dir(&base).unwrap();
        assert!(is_s6(&comm, &base));
        for other in ["s6-svscan2\n", "tini\n", "xs6-svscan\n", ""] {
            std::fs::write(&comm, other).unwrap();
            assert!(!is_s6(&comm, &base), "{other:?}");
        }
        std::fs::remove_file(&comm).unwrap();
        std::fs::create_dir(&comm).unwrap();
        assert!(!is_s6(&comm, &base), "what cannot be read is a no");
    }
}
