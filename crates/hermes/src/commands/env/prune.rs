//! `hermes env prune`.

use clap::Args;
use hermes_environment::docker;
use hermes_proto::Explain;
use serde_json::json;

use super::scope::{Owners, Scope};
use crate::context::Context;
use crate::exit::Failure;

/// What a container is called that never ran or has ended.
const OVER: [&str; 3] = ["exited", "created", "dead"];

/// Remove the stopped containers of this profile
///
/// What was installed in them is lost; files in /root and /workspace stay in the home.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Those of every profile
    #[arg(long)]
    all_profiles: bool,
    /// Print a JSON array of the ids that were removed
    #[arg(long)]
    json: bool,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let scope = Scope::open(context)?;
    let mut removed = Vec::new();
    let mut failed = None;
    for listed in scope.list(Owners::of(typed.all_profiles))? {
        if !OVER.contains(&listed.state.as_str()) {
            continue;
        }
        match docker::remove(&scope.client, &listed) {
            Ok(()) => {
                docker::forget(&scope.home, &scope.terminal, &listed.id);
                removed.push(listed.short_id().to_owned());
            }
            Err(error) => {
                context.note(format_args!("warning: {error}"));
                failed = Some(error);
            }
        }
    }
    if typed.json {
        context.line(json!(removed))?;
    } else {
        let noun = if removed.len() == 1 { "container" } else { "containers" };
        context.note(format_args!("removed {} {noun}", removed.len()));
    }
    match failed {
        Some(error) => Err(Failure::Silent(error.fault())),
        None => Ok(()),
    }
}
