//! `hermes profile create`.

use std::collections::BTreeMap;

use clap::Args;
use hermes_home::profiles::{self, Source};
use hermes_home::{Asked, HomeName, HomeRoot};
use hermes_proto::ProfileName;
use hermes_supervise::{Registration, ServiceError, StartAfter, detect};

use crate::context::Context;
use crate::exit::Failure;

/// Create a profile
///
/// It starts with a default personality in SOUL.md and without settings of its own. With --clone
/// or --clone-from it takes over config.yaml, .env, SOUL.md, memories/ and skills/ of another home.
/// Never taken over: logins (auth.json), sessions, state.db, logs, and pid and lock files.
#[derive(Debug, Args)]
pub(super) struct Typed {
    /// Name of the new profile
    name: String,
    /// Take over the settings of the current home
    #[arg(long)]
    clone: bool,
    /// Take over the settings of this profile, or of the default home with "default"
    #[arg(long, value_name = "NAME")]
    clone_from: Option<String>,
}

struct Create {
    name: ProfileName,
    settings: Settings,
}

enum Settings {
    Defaults,
    OfCurrent,
    Of(HomeName),
}

impl Typed {
    fn check(&self) -> Result<Create, Failure> {
        let settings = match &self.clone_from {
            Some(name) => Settings::Of(name.parse()?),
            None if self.clone => Settings::OfCurrent,
            None => Settings::Defaults,
        };
        Ok(Create { name: self.name.parse()?, settings })
    }
}

pub(super) fn run(typed: &Typed, context: &mut Context) -> Result<(), Failure> {
    let Create { name, settings } = typed.check()?;
    let root = context.root()?;
    let home = match settings {
        Settings::Defaults => None,
        Settings::OfCurrent => Some(root.select(&context.asked()?)?),
        Settings::Of(source) => Some(root.select(&Asked::For(source))?),
    };
    let created = profiles::create(&root, &name, home.as_ref().map_or(Source::Defaults, Source::Home))?;
    for not_copied in &created.not_copied {
        context.note(format_args!("warning: {not_copied}"));
    }
    context.note(format_args!("created profile {name} in {}", created.path.display()));
    register(&root, &name, context);
    context.note(format_args!("use it once with: hermes -p {name} …, always with: hermes profile use {name}"));
    Ok(())
}

/// In the container a profile has a slot from its first moment. A profile without one is still a
/// profile: the failure is told, and the next boot tries again.
fn register(root: &HomeRoot, name: &ProfileName, context: &Context) {
    let manager = detect(&context.environment, root);
    if !manager.supports_registration() {
        return;
    }
    let registration = Registration { environment: BTreeMap::new(), start: StartAfter::WhenAsked };
    match manager.register(&name.clone().into(), &registration) {
        // Whoever watches the profiles was faster.
        Ok(()) | Err(ServiceError::AlreadyRegistered { .. }) => {}
        Err(error) => context.note(format_args!("warning: the gateway of {name} has no slot yet: {error}")),
    }
}
