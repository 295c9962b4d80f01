//! Which environment a session's commands go to.
//!
//! Two parts: the place, which a container may share between sessions, and the session, which
//! has an executor of its own in it. Two sessions never share an executor.

use std::fmt;

use hermes_home::HomeName;
use hermes_home::config::{Backend, Terminal};

const DEFAULT: &str = "default";

/// What decides about it.
#[derive(Debug, Clone)]
pub struct KeyParts<'a> {
    pub terminal: &'a Terminal,
    pub profile: &'a HomeName,
    /// The session's key, if it is known.
    pub session: Option<&'a str>,
    /// The session that delegated this one: its children work where it works.
    pub parent: Option<&'a str>,
    /// Something that asked for an image or a kind of place of its own.
    pub own: Option<&'a str>,
}

/// Whether a place outlives its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Shared,
    PerSession,
}

/// A place, and the session in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EnvironmentKey {
    place: String,
    session: String,
}

impl EnvironmentKey {
    pub fn of(parts: &KeyParts<'_>) -> Self {
        Self { place: place(parts), session: parts.session.unwrap_or(DEFAULT).to_owned() }
    }

    /// The task of a container, and the name of its folder.
    pub fn place(&self) -> &str {
        &self.place
    }

    pub fn session(&self) -> &str {
        &self.session
    }
}

impl fmt::Display for EnvironmentKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.place, self.session)
    }
}

/// Whether the containers of this configuration are shared by sessions.
fn kept(terminal: &Terminal) -> Kept {
    if terminal.container_persistent { Kept::Shared } else { Kept::PerSession }
}

fn place(parts: &KeyParts<'_>) -> String {
    if let Some(own) = parts.own {
        return own.to_owned();
    }
    let owner = parts.parent.or(parts.session);
    match (parts.terminal.backend, kept(parts.terminal)) {
        (Backend::Docker, Kept::Shared) => shared(parts),
        (Backend::Docker, Kept::PerSession) => qualified(parts.profile, owner),
        _ => owner.map_or_else(|| DEFAULT.to_owned(), |key| format!("session:{key}")),
    }
}

fn shared(parts: &KeyParts<'_>) -> String {
    match (parts.terminal.docker_shared_container_key.as_str(), parts.profile) {
        ("", HomeName::Default) => DEFAULT.to_owned(),
        ("", HomeName::Profile(name)) => format!("profile:{name}"),
        (key, _) => format!("shared:{key}"),
    }
}

/// Sessions of two profiles may have the same key.
fn qualified(profile: &HomeName, session: Option<&str>) -> String {
    let session = session.map_or_else(|| DEFAULT.to_owned(), |key| format!("session:{key}"));
    match profile {
        HomeName::Default => session,
        HomeName::Profile(name) => format!("profile:{name}:{session}"),
    }
}

#[cfg(test)]
mod tests {
    use hermes_home::HomeName;
    use hermes_home::config::{Backend, Terminal};

    use super::{EnvironmentKey, KeyParts};

    #[test]
    fn the_place_follows_backend_persistence_profile_and_session() {
        let profile: HomeName = "coder".parse().unwrap();
        let terminal = |backend, container_persistent, key: &str| Terminal {
            backend,
            container_persistent,
            docker_shared_container_key: key.to_owned(),
            ..Terminal::default()
        };
        let check = |terminal: &Terminal, profile: &HomeName, session: Option<&str>, parent, expected: &str| {
            let parts = KeyParts { terminal, profile, session, parent, own: None };
            assert_eq!(EnvironmentKey::of(&parts).place(), expected, "{session:?} {profile}");
        };
        let persistent = terminal(Backend::Docker, true, "");
        check(&persistent, &HomeName::Default, Some("s"), None, "default");
        check(&persistent, &profile, Some("s"), None, "profile:coder");
        check(&terminal(Backend::Docker, true, "team"), &profile, Some("s"), None, "shared:team");
        let temporary = terminal(Backend::Docker, false, "");
        check(&temporary, &HomeName::Default, Some("s"), None, "session:s");
        check(&temporary, &profile, Some("s"), None, "profile:coder:session:s");
        check(&temporary, &profile, Some("child"), Some("s"), "profile:coder:session:s");
        check(&temporary, &profile, None, None, "profile:coder:default");
        let local = terminal(Backend::Local, true, "");
        check(&local, &profile, Some("s"), None, "session:s");
        check(&local, &profile, None, None, "default");
    }

    #[test]
    fn sessions_of_one_place_are_told_apart_and_an_own_place_wins() {
        let terminal = Terminal { backend: Backend::Docker, ..Terminal::default() };
        let of = |session, own| {
            let profile = &HomeName::Default;
            EnvironmentKey::of(&KeyParts { terminal: &terminal, profile, session: Some(session), parent: None, own })
        };
        assert_eq!(of("a", None).place(), of("b", None).place());
        assert_ne!(of("a", None), of("b", None));
        assert_eq!(of("a", Some("task-7")).place(), "task-7");
    }
}
