//! The supervisor inside the container: one slot a gateway, controlled without root.
//!
//! The whole tree below PID 1 runs as the user hermes, so a slot that hermes writes can never run
//! anything as root. A slot is visible or it is not: it is built and taken apart under a name that
//! starts with a dot, which the scanner passes over.

mod command;
mod publish;
mod retire;

use std::path::PathBuf;

use hermes_home::intent::Intent;
use hermes_home::{HomeName, HomeRoot};

use crate::boot::lease::{Lease, container_name};
use crate::manager::{
    ManagerKind, Registration, ServiceError, ServiceManager, ServiceState, ServiceStatus, StartAfter, keep_intent,
};
use crate::places::Places;
use crate::slot::{self, Ledger, SlotData};
use command::{Want, Wanted};

/// s6 on the scan directory of its places.
#[derive(Debug, Clone)]
pub struct S6 {
    places: Places,
    root: HomeRoot,
}

impl S6 {
    pub fn new(places: Places, root: HomeRoot) -> Self {
        Self { places, root }
    }

    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Registers a slot without a word about what the operator wants.
    pub fn publish(&self, home: &HomeName, registration: &Registration) -> Result<(), ServiceError> {
        check(&registration.environment)?;
        let data = SlotData { home: home.clone(), environment: registration.environment.clone() };
        publish::publish(&self.places, &data, registration.start)
    }

    fn slot(&self, home: &HomeName) -> PathBuf {
        self.places.scan.join(slot::name(home))
    }

    fn existing(&self, home: &HomeName) -> Result<PathBuf, ServiceError> {
        let slot = self.slot(home);
        if slot.join(slot::FILE).is_file() { Ok(slot) } else { Err(ServiceError::NotRegistered { home: home.clone() }) }
    }

    /// The slot of a home, if this container may act on it: what another one runs is not ours to start or stop.
    fn own(&self, home: &HomeName) -> Result<PathBuf, ServiceError> {
        let slot = self.existing(home)?;
        match Lease::look(self.root.path(), &container_name()) {
            Lease::Ours(_) => Ok(slot),
            Lease::Theirs(owner) => Err(ServiceError::OwnedElsewhere { home: home.clone(), owner }),
        }
    }

    /// What a supervisor that is itself started anew does with its service.
    fn remember(&self, home: &HomeName, start: StartAfter) -> Result<(), ServiceError> {
        let down = self.slot(home).join("down");
        let outcome = match start {
            StartAfter::Now => std::fs::remove_file(&down),
            StartAfter::WhenAsked => std::fs::write(&down, ""),
        };
        match outcome {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(ServiceError::at("change", &down)(error)),
            _ => Ok(()),
        }
    }
}

impl ServiceManager for S6 {
    fn kind(&self) -> ManagerKind {
        ManagerKind::S6
    }

    fn supports_registration(&self) -> bool {
        true
    }

    fn start(&self, home: &HomeName) -> Result<(), ServiceError> {
        let slot = self.own(home)?;
        keep_intent(&self.root, home, Intent::Running)?;
        self.remember(home, StartAfter::Now)?;
        Ledger::of(&slot).clear().map_err(ServiceError::at("forget the crashes of", &slot))?;
        command::control(&self.places, &slot, Want::Up)
    }

    fn stop(&self, home: &HomeName) -> Result<(), ServiceError> {
        let slot = self.own(home)?;
        keep_intent(&self.root, home, Intent::Stopped)?;
        self.remember(home, StartAfter::WhenAsked)?;
        command::control(&self.places, &slot, Want::Down)
    }

    fn restart(&self, home: &HomeName) -> Result<(), ServiceError> {
        let slot = self.own(home)?;
        keep_intent(&self.root, home, Intent::Running)?;
        self.remember(home, StartAfter::Now)?;
        // Down and up, and not a signal: a gateway that takes the signal for a wish to end well
        // would stay down.
        command::control(&self.places, &slot, Want::Down)?;
        Ledger::of(&slot).clear().map_err(ServiceError::at("forget the crashes of", &slot))?;
        command::control(&self.places, &slot, Want::Up)
    }

    fn status(&self, home: &HomeName) -> Result<ServiceStatus, ServiceError> {
        let Ok(slot) = self.existing(home) else {
            return Ok(ServiceStatus { state: ServiceState::Absent, wanted: false, reason: None });
        };
        let Wanted { process, wanted } = command::ask(&self.places, &slot)?;
        let pause = Ledger::of(&slot).pause(jiff::Timestamp::now().as_second());
        let state = process.map_or(ServiceState::Down, |process| ServiceState::Running { process });
        Ok(ServiceStatus { state, wanted, reason: pause.map(|pause| pause.reason) })
    }

    fn register(&self, home: &HomeName, registration: &Registration) -> Result<(), ServiceError> {
        self.publish(home, registration)
    }

    fn unregister(&self, home: &HomeName) -> Result<(), ServiceError> {
        retire::retire(&self.places, home)
    }

    fn list(&self) -> Result<Vec<HomeName>, ServiceError> {
        let entries = match std::fs::read_dir(&self.places.scan) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ServiceError::at("read", &self.places.scan)(error)),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut homes: Vec<HomeName> = names.filter_map(|name| slot::home_of(&name)).collect();
        homes.sort();
        Ok(homes)
    }
}

/// Starts a service that every container has, for good.
pub(crate) fn start_static(places: &Places, name: &str) -> Result<(), ServiceError> {
    let folder = places.scan.join(name);
    let down = folder.join("down");
    std::fs::remove_file(&down).map_err(ServiceError::at("remove", &down))?;
    command::control(places, &folder, Want::Up)
}

/// A variable that no process can be given is refused here, not when the service starts.
fn check(environment: &std::collections::BTreeMap<String, String>) -> Result<(), ServiceError> {
    let bad =
        environment.iter().find(|(name, value)| name.is_empty() || name.contains(['=', '\0']) || value.contains('\0'));
    match bad {
        None => Ok(()),
        Some((name, _)) => {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "no environment can hold it");
            Err(ServiceError::Slot { action: "take the variable", path: name.into(), source })
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
