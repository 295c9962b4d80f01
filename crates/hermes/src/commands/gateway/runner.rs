//! Who runs the gateway of a home: the service manager that has it, or nobody, and then it is a process of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_gateway::lifecycle::{self, LifecycleError, StopReason, running};
use hermes_home::config::{self, Overrides};
use hermes_home::intent::{self, Intent};
use hermes_home::{Home, HomeName};
use hermes_supervise::{
    ManagerKind, Registration, ServiceError, ServiceManager, ServiceState, ServiceStatus, StartAfter, detect,
};

use super::BESIDES;
use super::detached::detached;
use crate::context::Context;
use crate::exit::Failure;

/// The one manager of this machine or container, asked about home after home.
pub(crate) struct Runner {
    manager: Box<dyn ServiceManager>,
}

/// What came of a stop.
pub(super) enum Stopped {
    Process(u32),
    Service,
    WasNotRunning,
}

impl Runner {
    pub(crate) fn of(context: &Context) -> Result<Self, Failure> {
        Ok(Self { manager: detect(&context.environment, &context.root()?) })
    }

    /// What the manager says about a home's gateway, if running it is the manager's.
    pub(crate) fn service(&self, home: &HomeName) -> Result<Option<ServiceStatus>, Failure> {
        let status = match self.manager.kind() {
            ManagerKind::S6 => Some(self.manager.status(home)?),
            ManagerKind::SystemdUser => {
                Some(self.manager.status(home)?).filter(|status| status.state != ServiceState::Absent)
            }
            ManagerKind::None => None,
        };
        Ok(status)
    }

    pub(crate) fn kind(&self) -> ManagerKind {
        self.manager.kind()
    }

    /// Starts the gateway of a home; what is told about it.
    pub(super) fn start(&self, home: &Home, context: &mut Context) -> Result<String, Failure> {
        match self.service(home.name())? {
            Some(status) => {
                if status.state == ServiceState::Absent {
                    self.register(home, context)?;
                }
                self.manager.start(home.name())?;
                Ok(format!("✓ Gateway started by {} ({})", self.kind().description(), home.name()))
            }
            None => {
                if let Some(owner) = running(home.path()) {
                    return Err(LifecycleError::Running { home: home.path().to_owned(), owner: Box::new(owner) }.into());
                }
                intent::keep(home.path(), Intent::Running)?;
                Ok(format!("✓ Gateway started (PID: {})", detached(home, context)?))
            }
        }
    }

    /// Ends the gateway of a home and returns when it has ended.
    pub(super) fn stop(&self, home: &Home, context: &Context) -> Result<Stopped, Failure> {
        match self.service(home.name())? {
            Some(status) => {
                announce(home);
                self.manager.stop(home.name())?;
                let ran = matches!(status.state, ServiceState::Running { .. });
                Ok(if ran { Stopped::Service } else { Stopped::WasNotRunning })
            }
            None => {
                intent::keep(home.path(), Intent::Stopped)?;
                Ok(end(home, context)?.map_or(Stopped::WasNotRunning, Stopped::Process))
            }
        }
    }

    /// Ends the gateway of a home, if it runs, and starts it; what is told about it.
    pub(super) fn restart(&self, home: &Home, context: &mut Context) -> Result<String, Failure> {
        match self.service(home.name())? {
            Some(_) => {
                announce(home);
                self.manager.restart(home.name())?;
                Ok(format!("✓ Gateway restarted by {} ({})", self.kind().description(), home.name()))
            }
            None => {
                end(home, context)?;
                self.start(home, context)
            }
        }
    }

    /// A profile that nobody has given a slot yet gets one; a folder that is none stays without.
    fn register(&self, home: &Home, context: &mut Context) -> Result<(), Failure> {
        if home.path().join("SOUL.md").symlink_metadata().is_err() {
            return Ok(());
        }
        let registration = Registration { environment: BTreeMap::new(), start: StartAfter::WhenAsked };
        match self.manager.register(home.name(), &registration) {
            Ok(()) => context.line(format_args!("✓ registered the s6 gateway slot for profile '{}'", home.name())),
            // Whoever watches the profiles was faster.
            Err(ServiceError::AlreadyRegistered { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The manager's signal is meant. A gateway that cannot be told takes it for an accident, which the manager forgives.
fn announce(home: &Home) {
    if let Err(error) = lifecycle::announce(home.path()) {
        tracing::warn!(%error, "the gateway is not told that its end is meant");
    }
}

/// Ends the process that is a home's gateway; which it was.
fn end(home: &Home, context: &Context) -> Result<Option<u32>, Failure> {
    let config = config::load(home, &context.environment, &Overrides::default())?.config;
    let patience = BESIDES + Duration::from_secs(config.agent.restart_drain_timeout);
    Ok(lifecycle::stop(home.path(), StopReason::Planned, patience)?.map(|owner| owner.pid))
}
