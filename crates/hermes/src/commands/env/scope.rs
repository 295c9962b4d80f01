//! The engine, and which of its containers a command is about.

use hermes_environment::docker::{Client, Listed, Search, list, sanitized};
use hermes_home::Home;
use hermes_home::config::{self, Overrides, Terminal};

use crate::context::Context;
use crate::exit::Failure;

/// What all verbs need.
pub(super) struct Scope {
    pub(super) client: Client,
    pub(super) home: Home,
    pub(super) terminal: Terminal,
    /// The label of this profile's containers.
    profile: String,
}

/// Whose containers are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owners {
    ThisProfile,
    All,
}

impl Owners {
    pub(super) fn of(all_profiles: bool) -> Self {
        if all_profiles { Self::All } else { Self::ThisProfile }
    }
}

impl Scope {
    pub(super) fn open(context: &Context) -> Result<Self, Failure> {
        let home = context.home()?;
        let loaded = config::load(&home, &context.environment, &Overrides::default())?;
        let client = Client::connect(&Search::of(&context.environment))?;
        let profile = sanitized(home.name().as_str());
        Ok(Self { client, home, terminal: loaded.config.terminal, profile })
    }

    pub(super) fn list(&self, owners: Owners) -> Result<Vec<Listed>, Failure> {
        let mut listed = list(&self.client)?;
        listed.retain(|one| owners == Owners::All || self.is_own(one));
        Ok(listed)
    }

    pub(super) fn is_own(&self, listed: &Listed) -> bool {
        listed.profile == self.profile
    }
}
