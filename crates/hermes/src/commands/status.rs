//! `hermes status`: which home, who supervises, what runs.

use clap::Args;
use hermes_home::HomeName;
use hermes_supervise::{ManagerKind, ServiceState, ServiceStatus, detect};
use serde_json::json;

use crate::context::Context;
use crate::exit::Failure;

/// Show which home is used and who runs its gateway
#[derive(Debug, Args)]
pub(crate) struct Typed {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let root = context.root()?;
    let name = root.choice(&context.asked()?)?;
    let manager = detect(&context.environment, &root);
    let status = manager.status(&name)?;
    let shown = Shown { name: &name, path: root.path_of(&name), kind: manager.kind(), status };
    if typed.json { context.line(shown.json()) } else { shown.lines(context) }
}

struct Shown<'a> {
    name: &'a HomeName,
    path: std::path::PathBuf,
    kind: ManagerKind,
    status: ServiceStatus,
}

impl Shown<'_> {
    fn process(&self) -> Option<i32> {
        match self.status.state {
            ServiceState::Running { process } => Some(process),
            ServiceState::Absent | ServiceState::Down => None,
        }
    }

    fn state(&self) -> &'static str {
        match (self.status.state, self.status.wanted) {
            (ServiceState::Absent, _) => "not installed",
            (ServiceState::Running { .. }, _) => "running",
            (ServiceState::Down, true) => "starting",
            (ServiceState::Down, false) => "stopped",
        }
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "profile": self.name.as_str(),
            "home": self.path,
            "manager": self.kind.description(),
            "gateway": self.state(),
            "pids": self.process().into_iter().collect::<Vec<_>>(),
            "reason": self.status.reason,
        })
    }

    fn lines(&self, context: &mut Context) -> Result<(), Failure> {
        context.line(format_args!("Profile:      {}", self.name))?;
        context.line(format_args!("Home:         {}", self.path.display()))?;
        context.line(format_args!("Manager:      {}", self.kind.description()))?;
        context.line(format_args!("Gateway:      {}", self.state()))?;
        if let Some(process) = self.process() {
            context.line(format_args!("PID(s):       {process}"))?;
        }
        match &self.status.reason {
            Some(reason) => context.line(format_args!("Reason:       {reason}")),
            None => Ok(()),
        }
    }
}
