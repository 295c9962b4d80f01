//! Slots follow the profiles that are there: at boot all of them, later those that came or went.
//!
//! Nobody has to remember to register anything: a profile that was imported, restored or made on
//! the host gets its slot like one that `profile create` made. One broken profile never keeps the
//! others from their slots.

use std::fmt;
use std::path::Path;

use hermes_home::{HomeName, HomeRoot, profiles};

use crate::S6;
use crate::boot::lease::Lease;
use crate::intent::{self, Prior};
use crate::manager::{Registration, ServiceError, ServiceManager, StartAfter};

/// Left by a gateway that is gone; the next one must not believe them.
const STALE: [&str; 2] = ["gateway.pid", "processes.json"];

/// What became of one home.
#[derive(Debug)]
pub struct Outcome {
    /// The home's name, or the path of what is none.
    pub profile: String,
    pub prior: Option<String>,
    pub action: Action,
    /// Things that could not be read or removed; the slot is there all the same.
    pub problems: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Action {
    Started,
    Registered,
    Unregistered,
    /// Wanted here, but another container has this volume.
    OwnedBy(String),
    Ignored(String),
    Failed(String),
}

/// Every home gets its slot, the default one first; what is wanted starts.
pub fn at_boot(s6: &S6, root: &HomeRoot, lease: &Lease) -> Vec<Outcome> {
    let mut outcomes = vec![settle(s6, root, &HomeName::Default, lease)];
    match profiles::list(root) {
        Ok(listing) => {
            let homes = listing.profiles.into_iter().map(HomeName::from).filter(|home| has_soul(root, home));
            outcomes.extend(homes.map(|home| settle(s6, root, &home, lease)));
            outcomes.extend(listing.ignored.iter().map(|ignored| Outcome {
                profile: single_word(&ignored.path),
                prior: None,
                action: Action::Ignored(ignored.to_string()),
                problems: Vec::new(),
            }));
        }
        Err(error) => outcomes.push(failed("profiles", error.to_string())),
    }
    outcomes
}

/// Slots for homes that came since, none for those that went.
pub fn changes(s6: &S6, root: &HomeRoot, lease: &Lease) -> Vec<Outcome> {
    let (listing, slots) = match (profiles::list(root), s6.list()) {
        (Ok(listing), Ok(slots)) => (listing, slots),
        (Err(error), _) => return vec![failed("profiles", error.to_string())],
        (_, Err(error)) => return vec![failed("slots", error.to_string())],
    };
    let homes: Vec<HomeName> = listing.profiles.into_iter().map(HomeName::from).collect();
    let came = homes.iter().filter(|home| !slots.contains(home) && has_soul(root, home));
    let mut outcomes: Vec<Outcome> = came.map(|home| settle(s6, root, home, lease)).collect();
    let went = slots.iter().filter(|home| **home != HomeName::Default && !homes.contains(home));
    outcomes.extend(went.map(|home| forget(s6, home)));
    // Somebody else was faster, which is what was wanted.
    outcomes.retain(|outcome| !matches!(&outcome.action, Action::Ignored(_)));
    outcomes
}

/// Whether a folder is a profile: it has a personality.
pub(crate) fn has_soul(root: &HomeRoot, home: &HomeName) -> bool {
    root.path_of(home).join("SOUL.md").symlink_metadata().is_ok()
}

fn settle(s6: &S6, root: &HomeRoot, home: &HomeName, lease: &Lease) -> Outcome {
    let path = root.path_of(home);
    let prior = intent::prior(&path);
    let mut problems: Vec<String> = prior.problem.iter().cloned().collect();
    if let Lease::Ours(_) = lease {
        problems.extend(remove_stale(&path));
    }
    let (start, action) = decide(&prior, lease);
    let registration = Registration { environment: Default::default(), start };
    let action = match s6.publish(home, &registration) {
        Ok(()) => action,
        Err(ServiceError::AlreadyRegistered { .. }) => Action::Ignored("already registered".to_owned()),
        Err(error) => Action::Failed(error.to_string()),
    };
    Outcome { profile: home.to_string(), prior: prior.state, action, problems }
}

fn decide(prior: &Prior, lease: &Lease) -> (StartAfter, Action) {
    match (prior.is_running(), lease) {
        (false, _) => (StartAfter::WhenAsked, Action::Registered),
        (true, Lease::Ours(_)) => (StartAfter::Now, Action::Started),
        (true, Lease::Theirs(owner)) => (StartAfter::WhenAsked, Action::OwnedBy(owner.clone())),
    }
}

fn forget(s6: &S6, home: &HomeName) -> Outcome {
    let action = match s6.unregister(home) {
        Ok(()) => Action::Unregistered,
        Err(error) => Action::Failed(error.to_string()),
    };
    Outcome { profile: home.to_string(), prior: None, action, problems: Vec::new() }
}

/// Removes the names, never what a link leads to.
fn remove_stale(home: &Path) -> Vec<String> {
    let remove = |name: &&str| match std::fs::remove_file(home.join(name)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Some(format!("{name}: {error}")),
        _ => None,
    };
    STALE.iter().filter_map(remove).collect()
}

fn failed(what: &str, why: String) -> Outcome {
    Outcome { profile: what.to_owned(), prior: None, action: Action::Failed(why), problems: Vec::new() }
}

/// A path that stays one word in a line of words.
fn single_word(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '?' } else { c }).collect()
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prior = self.prior.as_deref().unwrap_or("None");
        write!(formatter, "profile={} prior_state={prior} action={}", self.profile, self.action)?;
        let problems = self.problems.iter().map(|text| text.replace(['\n', '\r'], " "));
        problems.into_iter().try_for_each(|problem| write!(formatter, " problem={problem:?}"))
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started => formatter.write_str("started"),
            Self::Registered => formatter.write_str("registered"),
            Self::Unregistered => formatter.write_str("unregistered"),
            Self::OwnedBy(owner) => write!(formatter, "owned owner={owner}"),
            Self::Ignored(why) => write!(formatter, "ignored reason={why:?}"),
            Self::Failed(why) => write!(formatter, "failed reason={why:?}"),
        }
    }
}
