//! What can be seen of a home's gateway from outside.

use std::path::Path;

use hermes_gateway::lifecycle::{GatewayState, running};
use hermes_home::{HomeName, intent};
use hermes_supervise::{ManagerKind, ServiceState, places};
use serde::Serialize;
use serde_json::Value;

use super::runner::Runner;
use crate::exit::Failure;

/// One look at a gateway.
#[derive(Debug, Serialize)]
pub(crate) struct Snapshot {
    pub(crate) profile: String,
    pub(crate) manager: &'static str,
    pub(crate) service_installed: bool,
    pub(crate) service_running: bool,
    pub(crate) gateway_pids: Vec<u32>,
    pub(crate) service_scope: &'static str,
    /// What the operator wants.
    pub(crate) desired_state: Option<&'static str>,
    /// What the gateway last said of itself.
    pub(crate) gateway_state: Option<Value>,
    pub(crate) exit_reason: Option<Value>,
    /// Why it is not running as it should, if the manager knows.
    pub(crate) reason: Option<String>,
    #[serde(skip)]
    wanted: bool,
}

impl Snapshot {
    pub(crate) fn of(name: &HomeName, path: &Path, runner: &Runner) -> Result<Self, Failure> {
        let service = runner.service(name)?;
        let state = GatewayState::read(path);
        let field = |name: &str| state.value().get(name).filter(|value| !value.is_null()).cloned();
        let (manager, service_scope) = match (&service, runner.kind()) {
            (Some(_), kind @ ManagerKind::S6) => (kind.description(), "s6"),
            (Some(_), kind) => (kind.description(), "user"),
            (None, _) if places::is_image() => ("docker (foreground)", ""),
            (None, _) => ("manual process", ""),
        };
        let state_of = |status: &hermes_supervise::ServiceStatus| status.state;
        Ok(Self {
            profile: name.to_string(),
            manager,
            service_installed: service.as_ref().is_some_and(|status| state_of(status) != ServiceState::Absent),
            service_running: matches!(service.as_ref().map(state_of), Some(ServiceState::Running { .. })),
            gateway_pids: running(path).iter().map(|owner| owner.pid).collect(),
            service_scope,
            desired_state: intent::stated(path).ok().flatten().map(intent::Intent::as_str),
            gateway_state: field("gateway_state"),
            exit_reason: field("exit_reason"),
            wanted: service.as_ref().is_some_and(|status| status.wanted),
            reason: service.and_then(|status| status.reason),
        })
    }

    /// In one word.
    pub(crate) fn state(&self) -> &'static str {
        match (self.gateway_pids.is_empty(), self.wanted) {
            (false, _) => "running",
            (true, true) => "starting",
            (true, false) => "stopped",
        }
    }
}
