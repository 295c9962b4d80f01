//! Who may talk to a gateway on a platform, and as what. Whoever is not let in gets nothing, but perhaps a pairing code.
//!
//! Lists are read once, with the configuration. Pairings are read each time somebody comes who is on no list.

use std::collections::BTreeSet;
use std::time::SystemTime;

use crate::pairing::Pairing;
use crate::platforms::{Setup, SetupError};
use crate::{Identifier, Platform, Role};

/// What a private message of somebody unknown gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// A pairing code, once in a while.
    Code,
    Nothing,
}

impl Unknown {
    pub(crate) fn configured(setup: &Setup<'_>, platform: &'static str) -> Result<Self, SetupError> {
        match setup.config.unauthorized_dm_behavior.as_str() {
            "pair" => Ok(Self::Code),
            "ignore" => Ok(Self::Nothing),
            other => Err(SetupError {
                platform,
                problem: format!("unauthorized_dm_behavior is {other:?}"),
                remedy: "it is pair or ignore".to_owned(),
            }),
        }
    }
}

/// Ids as people list them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct People {
    /// Everybody, listed as `*`.
    pub(crate) everybody: bool,
    pub(crate) ids: BTreeSet<String>,
}

impl People {
    pub(crate) fn listed<'a>(ids: impl IntoIterator<Item = &'a str>) -> Self {
        let mut people = Self::default();
        for id in ids.into_iter().map(str::trim).filter(|id| !id.is_empty()) {
            match id {
                "*" => people.everybody = true,
                id => drop(people.ids.insert(id.to_owned())),
            }
        }
        people
    }

    pub(crate) fn includes(&self, id: &Identifier) -> bool {
        self.everybody || self.ids.contains(id.as_str())
    }

    fn add(&mut self, other: Self) {
        self.everybody |= other.everybody;
        self.ids.extend(other.ids);
    }
}

/// The door of one platform.
#[derive(Debug, Clone)]
pub(crate) struct Admission {
    platform: Platform,
    people: People,
    /// Only these, one by one: a star makes nobody an administrator.
    admins: BTreeSet<String>,
    unknown: Unknown,
    pairing: Pairing,
}

impl Admission {
    /// `people` and `admins` are the platform's own lists; what counts for all platforms is added.
    pub(crate) fn new(
        setup: &Setup<'_>,
        platform: &Platform,
        mut people: People,
        admins: People,
        unknown: Unknown,
    ) -> Self {
        let listed = (setup.variable)("GATEWAY_ALLOWED_USERS").unwrap_or_default();
        people.add(People::listed(listed.split(',')));
        people.everybody |= (setup.variable)("GATEWAY_ALLOW_ALL_USERS").is_some_and(|text| is_yes(&text));
        let admins = admins.ids;
        Self { platform: platform.clone(), people, admins, unknown, pairing: Pairing::of(setup.home) }
    }

    /// What somebody is here; nothing if they are unknown. Reads the home: not for a thread that must not wait.
    pub(crate) fn role(&self, person: &Identifier) -> Option<Role> {
        if self.is_admin(person) {
            return Some(Role::Admin);
        }
        if self.people.includes(person) {
            return Some(Role::User);
        }
        let paired = self.pairing.is_paired(&self.platform, person).unwrap_or_else(|error| {
            tracing::error!(%error, "pairings cannot be read; nobody is let in by them");
            false
        });
        paired.then_some(Role::User)
    }

    pub(crate) fn is_admin(&self, person: &Identifier) -> bool {
        self.admins.contains(person.as_str())
    }

    /// The administrators, as far as their ids are ids.
    pub(crate) fn admins(&self) -> Vec<Identifier> {
        self.admins.iter().filter_map(|id| id.parse().ok()).collect()
    }

    /// Whether anybody could get in without the command line.
    pub(crate) fn is_empty(&self) -> bool {
        !self.people.everybody && self.people.ids.is_empty() && self.admins.is_empty()
    }

    /// A code for somebody unknown who came in private. Reads and writes the home.
    pub(crate) fn code(&self, person: &Identifier, name: &str) -> Option<String> {
        if self.unknown == Unknown::Nothing {
            return None;
        }
        let code = self.pairing.request(&self.platform, person, name, SystemTime::now());
        code.unwrap_or_else(|error| {
            tracing::error!(%error, "no pairing code can be given out");
            None
        })
    }
}

/// Whether a variable is switched on.
pub(crate) fn is_yes(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
}
