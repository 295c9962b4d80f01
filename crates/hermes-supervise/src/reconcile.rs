//! Slots follow the profiles that are there: at boot all of them, later those that came or went.
//!
//! Nobody has to remember to register anything: a profile that was imported, restored or made on
//! the host gets its slot like one that `profile create` made. One broken profile never keeps the
//! others from their slots.

use std::fmt;
use std::path::Path;

use hermes_home::intent::{self, Prior};
use hermes_home::{HomeName, HomeRoot, profiles};

use crate::S6;
use crate::boot::lease::Lease;
use crate::manager::{Registration, ServiceError, ServiceManager, StartAfter};

/// Slots that are made at the same time.
const AT_ONCE: usize = 16;

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
            let homes: Vec<HomeName> = homes.collect();
            outcomes.extend(homes.chunks(AT_ONCE).flat_map(|homes| settle_all(s6, root, homes, lease)));
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

/// A slot spends most of its making waiting for its supervisor: these wait together.
fn settle_all(s6: &S6, root: &HomeRoot, homes: &[HomeName], lease: &Lease) -> Vec<Outcome> {
    std::thread::scope(|scope| {
        let settling: Vec<_> = homes.iter().map(|home| scope.spawn(move || settle(s6, root, home, lease))).collect();
        let settled = settling.into_iter().zip(homes);
        settled
            .map(|(one, home)| one.join().unwrap_or_else(|_| failed(&home.to_string(), "it panicked".into())))
            .collect()
    })
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Action, at_boot};
    use crate::boot::lease::Lease;
    use crate::s6::tests::{Fake, SCANS};

    /// A file of the home, with the folders above it.
    fn write(fake: &Fake, name: &str, content: &str) {
        let path = fake.root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn at(fake: &Fake, name: &str) -> PathBuf {
        fake.folder.path().join(name)
    }

    fn summary(fake: &Fake, lease: &Lease) -> Vec<String> {
        at_boot(&fake.s6, &fake.root, lease).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_home_gets_its_slot_the_default_first_and_what_is_wanted_starts() {
        let fake = Fake::new(SCANS);
        for (profile, state) in [
            ("a-runs", Some(r#"{"gateway_state":"running"}"#)),
            ("b-stopped", Some(r#"{"gateway_state":"stopped"}"#)),
            ("c-starting", Some(r#"{"gateway_state":"starting"}"#)),
            ("d-failed", Some(r#"{"gateway_state":"startup_failed"}"#)),
            ("e-none", None),
            ("f-wanted", Some(r#"{"gateway_state":"stopped","desired_state":"running"}"#)),
            ("g-unwanted", Some(r#"{"gateway_state":"running","desired_state":"stopped"}"#)),
        ] {
            write(&fake, &format!("profiles/{profile}/SOUL.md"), "");
            if let Some(state) = state {
                write(&fake, &format!("profiles/{profile}/gateway_state.json"), state);
            }
        }
        let expected = [
            "profile=default prior_state=None action=registered",
            "profile=a-runs prior_state=running action=started",
            "profile=b-stopped prior_state=stopped action=registered",
            "profile=c-starting prior_state=starting action=registered",
            "profile=d-failed prior_state=startup_failed action=registered",
            "profile=e-none prior_state=None action=registered",
            "profile=f-wanted prior_state=running action=started",
            "profile=g-unwanted prior_state=stopped action=registered",
        ];
        assert_eq!(
            summary(&fake, &Lease::Ours(None)),
            expected,
            "a folder without a personality (coder) is no profile"
        );
        assert!(!at(&fake, "service/gateway-coder").exists());
        assert!(
            !at(&fake, "service/gateway-a-runs/down").exists() && at(&fake, "service/gateway-e-none/down").exists()
        );
        let left: Vec<_> =
            std::fs::read_dir(at(&fake, "service")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name.to_string_lossy().starts_with("gateway-")), "{left:?}");
        let again = at_boot(&fake.s6, &fake.root, &Lease::Ours(None));
        assert!(again.iter().all(|outcome| matches!(outcome.action, Action::Ignored(_))), "{again:?}");
    }

    #[test]
    fn what_is_broken_or_no_profile_keeps_nobody_from_a_slot() {
        let fake = Fake::new(SCANS);
        for name in ["Bad Name", "default", "good"] {
            write(&fake, &format!("profiles/{name}/SOUL.md"), "");
        }
        write(&fake, "profiles/good/gateway_state.json", "{");
        let lines = summary(&fake, &Lease::Ours(None));
        assert_eq!(lines[0], "profile=default prior_state=None action=registered");
        assert!(lines[1].starts_with("profile=good prior_state=None action=registered problem="), "{lines:?}");
        assert!(
            lines.iter().any(|line| line.starts_with("profile=Bad?Name prior_state=None action=ignored")),
            "{lines:?}"
        );
        assert_eq!(lines.iter().filter(|line| line.contains("action=registered")).count(), 2, "{lines:?}");
    }

    #[test]
    fn files_of_a_gateway_that_is_gone_go_too_unless_another_container_has_them() {
        let fake = Fake::new(SCANS);
        write(&fake, "profiles/coder/SOUL.md", "");
        write(&fake, "profiles/coder/gateway_state.json", r#"{"gateway_state":"running"}"#);
        let files = ["gateway.pid", "processes.json", "profiles/coder/gateway.pid", "profiles/coder/processes.json"];
        for name in files.iter().chain(&["gateway.lock"]) {
            write(&fake, name, "{}");
        }
        let lines = summary(&fake, &Lease::Theirs("first".to_owned()));
        assert_eq!(lines[1], "profile=coder prior_state=running action=owned owner=first");
        assert!(at(&fake, "service/gateway-coder/down").exists());
        assert!(files.iter().all(|name| fake.root.path().join(name).exists()));
        summary(&fake, &Lease::Ours(None));
        assert!(!files.iter().any(|name| fake.root.path().join(name).exists()));
        assert!(fake.root.path().join("gateway.lock").exists());
    }

    #[test]
    fn no_profiles_at_all_is_a_home_with_one_slot() {
        let fake = Fake::new(SCANS);
        std::fs::remove_dir_all(fake.root.profiles_path()).unwrap();
        assert_eq!(summary(&fake, &Lease::Ours(None)), ["profile=default prior_state=None action=registered"]);
    }
}
