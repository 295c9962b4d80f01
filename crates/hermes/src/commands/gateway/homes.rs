//! Which homes a command is about: this one, or all of the root.

use hermes_home::profiles;
use hermes_home::{Asked, Home, HomeName};
use hermes_proto::Fault;

use crate::context::Context;
use crate::exit::Failure;

/// The home of this command, or all of them, the default first.
pub(super) fn chosen(is_all: bool, context: &Context) -> Result<Vec<Home>, Failure> {
    if !is_all {
        return Ok(vec![context.home()?]);
    }
    let root = context.root()?;
    let named = profiles::list(&root)?.profiles.into_iter().map(HomeName::Profile);
    let mut homes = Vec::new();
    for name in std::iter::once(HomeName::Default).chain(named) {
        homes.push(root.select(&Asked::For(name))?);
    }
    Ok(homes)
}

/// A session of a gateway must not end the gateway it runs in.
pub(super) fn refuse_inside(context: &Context) -> Result<(), Failure> {
    if context.environment.text("HERMES_SESSION_KEY").is_some_and(|key| !key.is_empty()) {
        return Err(Failure::new(
            Fault::Failed,
            "this runs inside a session of a gateway, which cannot end its own gateway",
        )
        .hint("run it in a terminal of your own"));
    }
    Ok(())
}
