//! `hermes env stop`.

use clap::Args;
use hermes_environment::docker::{self, DockerError, Listed};
use hermes_proto::{Explain, Fault};
use serde_json::json;

use super::scope::{Owners, Scope};
use crate::context::{Context, usage};
use crate::exit::Failure;

/// Stop containers; commands that run in them end
///
/// A stopped container is started again by the next command of its task.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The beginning of an id (4 digits or more), a name, or a task of this profile
    #[arg(value_name = "ID|TASK", required_unless_present = "all", conflicts_with = "all")]
    name: Option<String>,
    /// All running containers of this profile
    #[arg(long)]
    all: bool,
    /// With --all: of every profile
    #[arg(long, requires = "all")]
    all_profiles: bool,
    /// Print a JSON array of the ids that were stopped
    #[arg(long)]
    json: bool,
}

/// What was meant.
enum Stop<'a> {
    One(&'a str),
    All(Owners),
}

impl Typed {
    fn meant(&self) -> Stop<'_> {
        match &self.name {
            Some(name) => Stop::One(name),
            None => Stop::All(Owners::of(self.all_profiles)),
        }
    }
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let scope = Scope::open(context)?;
    let chosen = match typed.meant() {
        Stop::One(name) => vec![one(name, &scope)?],
        Stop::All(owners) => scope.list(owners)?.into_iter().filter(|listed| listed.state == "running").collect(),
    };
    let mut stopped = Vec::new();
    let mut failed = None;
    for listed in &chosen {
        match docker::stop(&scope.client, listed) {
            Ok(()) => {
                context.note(format_args!("stopped {} ({}, {})", listed.short_id(), listed.profile, listed.task));
                stopped.push(listed.short_id());
            }
            Err(error) => {
                context.note(format_args!("warning: {error}"));
                failed = Some(error);
            }
        }
    }
    if typed.json {
        context.line(json!(stopped))?;
    }
    match failed {
        Some(error) => Err(Failure::Silent(error.fault())),
        None => Ok(()),
    }
}

/// The one that is called so. A task is looked for in this profile only: others have their own.
fn one(name: &str, scope: &Scope) -> Result<Listed, Failure> {
    let mut called = scope.list(Owners::All)?;
    called.retain(|listed| listed.is_called(name) && (listed.task != name || scope.is_own(listed)));
    match called.len() {
        0 => Err(DockerError::NoSuch(name.to_owned()).into()),
        1 => called.pop().ok_or_else(|| Failure::new(Fault::Failed, "no container")),
        _ => {
            let ids: Vec<&str> = called.iter().map(Listed::short_id).collect();
            Err(usage(format_args!("{name:?} may be any of {}", ids.join(", "))).hint("give one of the ids"))
        }
    }
}
