//! `hermes status`: which home, who supervises, what runs.

use std::path::PathBuf;

use clap::Args;
use hermes_home::HomeName;
use serde_json::json;

use crate::commands::gateway::{Runner, Snapshot};
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
    let path = root.path_of(&name);
    let gateway = Snapshot::of(&name, &path, &Runner::of(context)?)?;
    let shown = Shown { name, path, gateway };
    if typed.json { context.line(shown.json()) } else { shown.lines(context) }
}

struct Shown {
    name: HomeName,
    path: PathBuf,
    gateway: Snapshot,
}

impl Shown {
    fn json(&self) -> serde_json::Value {
        json!({
            "profile": self.name.as_str(),
            "home": self.path,
            "manager": self.gateway.manager,
            "gateway": self.gateway.state(),
            "pids": self.gateway.gateway_pids,
            "reason": self.gateway.reason,
        })
    }

    fn lines(&self, context: &mut Context) -> Result<(), Failure> {
        context.line(format_args!("Profile:      {}", self.name))?;
        context.line(format_args!("Home:         {}", self.path.display()))?;
        context.line(format_args!("Manager:      {}", self.gateway.manager))?;
        context.line(format_args!("Gateway:      {}", self.gateway.state()))?;
        if let Some(process) = self.gateway.gateway_pids.first() {
            context.line(format_args!("PID(s):       {process}"))?;
        }
        match &self.gateway.reason {
            Some(reason) => context.line(format_args!("Reason:       {reason}")),
            None => Ok(()),
        }
    }
}
