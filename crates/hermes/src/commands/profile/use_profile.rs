//! `hermes profile use`.

use clap::Args;
use hermes_home::{HomeName, profiles};

use crate::context::Context;
use crate::exit::Failure;

/// Make a profile the active one: used whenever no -p is given
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Name of the profile, or "default" for the default home
    name: String,
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let name: HomeName = typed.name.parse()?;
    let root = context.root()?;
    profiles::activate(&root, &name)?;
    context.note(match &name {
        HomeName::Default => "the default home is active now".to_owned(),
        HomeName::Profile(name) => format!("profile {name} is active now"),
    });
    if let Some(pointed_at) = root.pointed_at()
        && name.profile() != Some(pointed_at)
    {
        context.note(format_args!("warning: HERMES_HOME points at profile {pointed_at} here, and that wins"));
    }
    Ok(())
}
