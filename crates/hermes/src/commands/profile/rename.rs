//! `hermes profile rename`.

use clap::Args;
use hermes_home::HomeName;
use hermes_home::profiles::{self, ActiveProfile};
use hermes_proto::ProfileName;
use hermes_supervise::ports;

use crate::context::{Context, usage};
use crate::exit::Failure;

/// Rename a profile
///
/// Its gateway must not be running (exit code 75 if it is). If it is the active profile, it stays
/// the active one under its new name.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// The profile to rename
    name: String,
    /// Its new name
    new_name: String,
}

struct Rename {
    from: ProfileName,
    to: ProfileName,
}

impl Typed {
    fn check(&self) -> Result<Rename, Failure> {
        match self.name.parse()? {
            HomeName::Default => Err(usage("the default home cannot be renamed")),
            HomeName::Profile(from) => Ok(Rename { from, to: self.new_name.parse()? }),
        }
    }
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let Rename { from, to } = typed.check()?;
    let root = context.root()?;
    let active = profiles::rename(&root, &from, &to)?;
    if let Err(error) = ports::rename(&root, &from, &to) {
        context.note(format_args!("warning: its API gets another port: {error}"));
    }
    context.note(format_args!("renamed profile {from} to {to}"));
    if active == ActiveProfile::Changed {
        context.note(format_args!("it stays the active profile, now as {to}"));
    }
    Ok(())
}
