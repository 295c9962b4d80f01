//! Becoming an ordinary user for good, and letting go of a terminal.
//!
//! A process that gives up root half-way (groups kept, a saved id left behind) looks
//! dropped and is not. So the drop is one function that does every step in the one order
//! that works and then tries to undo it; only a failed try counts as success.

use std::io;

use hermes_proto::{Explain, Fault};
use rustix::process::{getegid, geteuid, getgid, getgroups, getuid};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// An ordinary account in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    uid: u32,
    gid: u32,
    groups: Vec<u32>,
}

/// Why a process is not what it should be. After any of these nothing else may be done.
#[derive(Debug, thiserror::Error)]
pub enum PrivilegeError {
    #[error("root cannot be dropped to: user {uid}, group {gid}")]
    StillRoot { uid: u32, gid: u32 },
    #[error("cannot set the groups {groups:?}: {source}")]
    Groups { groups: Vec<u32>, source: io::Error },
    #[error("cannot become group {gid}: {source}")]
    Group { gid: u32, source: io::Error },
    #[error("cannot become user {uid}: {source}")]
    User { uid: u32, source: io::Error },
    #[error("the drop to user {uid} can be undone")]
    Reversible { uid: u32 },
    #[error("privileges are left after the drop to user {uid}: {left}")]
    Left { uid: u32, left: String },
}

impl Identity {
    /// An account with its supplementary groups; root and root's group are refused.
    pub fn new(uid: u32, gid: u32, groups: impl IntoIterator<Item = u32>) -> Result<Self, PrivilegeError> {
        if uid == 0 || gid == 0 {
            return Err(PrivilegeError::StillRoot { uid, gid });
        }
        let mut groups: Vec<u32> = groups.into_iter().filter(|group| *group != 0).chain([gid]).collect();
        groups.sort_unstable();
        groups.dedup();
        Ok(Self { uid, gid, groups })
    }

    pub fn uid(&self) -> u32 {
        self.uid
    }

    pub fn gid(&self) -> u32 {
        self.gid
    }
}

/// Becomes this account: groups, group, user, in this order, because each step needs what
/// the next one gives up. Proven irreversible when it returns.
pub fn become_user(identity: &Identity) -> Result<(), PrivilegeError> {
    let Identity { uid, gid, groups } = identity;
    set_groups(groups).map_err(|source| PrivilegeError::Groups { groups: groups.clone(), source })?;
    set_group(*gid).map_err(|source| PrivilegeError::Group { gid: *gid, source })?;
    set_user(*uid).map_err(|source| PrivilegeError::User { uid: *uid, source })?;
    prove(identity)
}

/// Keeps root from giving what it makes to others: this process only, not its children.
pub fn keep_what_root_makes() -> io::Result<()> {
    let held = capabilities(None)?;
    let less = CapabilitySets {
        effective: held.effective - CapabilitySet::CHOWN,
        permitted: held.permitted - CapabilitySet::CHOWN,
        inheritable: held.inheritable - CapabilitySet::CHOWN,
    };
    Ok(set_capabilities(None, less)?)
}

/// Gives up the controlling terminal, so that a child can make it its own. An error means
/// that there was none to give up.
#[expect(unsafe_code, reason = "rustix has no TIOCNOTTY")]
pub fn release_terminal() -> io::Result<()> {
    // SAFETY: the request takes no argument; an unusable descriptor is an error, no more.
    let answer = unsafe { libc::ioctl(libc::STDIN_FILENO, libc::TIOCNOTTY) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn prove(identity: &Identity) -> Result<(), PrivilegeError> {
    let Identity { uid, gid, groups } = identity;
    if set_user(0).is_ok() || set_group(0).is_ok() || set_groups(&[0]).is_ok() {
        return Err(PrivilegeError::Reversible { uid: *uid });
    }
    let left = |left: String| PrivilegeError::Left { uid: *uid, left };
    let users = [getuid().as_raw(), geteuid().as_raw()];
    let own_groups = [getgid().as_raw(), getegid().as_raw()];
    if users != [*uid; 2] || own_groups != [*gid; 2] {
        return Err(left(format!("users {users:?}, groups {own_groups:?}")));
    }
    let mut held: Vec<u32> =
        getgroups().map_err(|error| left(error.to_string()))?.iter().map(|group| group.as_raw()).collect();
    held.sort_unstable();
    if held != *groups {
        return Err(left(format!("supplementary groups {held:?}")));
    }
    match capabilities(None) {
        Ok(sets) if sets.permitted.is_empty() && sets.effective.is_empty() => Ok(()),
        Ok(sets) => Err(left(format!("capabilities {:?}", sets.permitted))),
        Err(error) => Err(left(error.to_string())),
    }
}

#[expect(unsafe_code, reason = "only the C library changes the groups of all threads")]
fn set_groups(groups: &[u32]) -> io::Result<()> {
    // SAFETY: pointer and length are those of one slice, which outlives the call.
    outcome(unsafe { libc::setgroups(groups.len(), groups.as_ptr()) })
}

#[expect(unsafe_code, reason = "only the C library changes the group of all threads")]
fn set_group(gid: u32) -> io::Result<()> {
    // SAFETY: numbers only; no memory is involved.
    outcome(unsafe { libc::setresgid(gid, gid, gid) })
}

#[expect(unsafe_code, reason = "only the C library changes the user of all threads")]
fn set_user(uid: u32) -> io::Result<()> {
    // SAFETY: numbers only; no memory is involved.
    outcome(unsafe { libc::setresuid(uid, uid, uid) })
}

fn outcome(answer: libc::c_int) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

impl Explain for PrivilegeError {
    fn fault(&self) -> Fault {
        Fault::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::{Identity, PrivilegeError};

    #[test]
    fn root_is_no_account_to_drop_to() {
        for (uid, gid) in [(0, 0), (0, 10), (10, 0)] {
            let refused = Identity::new(uid, gid, []);
            assert!(matches!(refused, Err(PrivilegeError::StillRoot { .. })), "{uid}:{gid}");
        }
        let identity = Identity::new(10_000, 10_001, [0, 7, 7]).unwrap();
        assert_eq!(identity.groups, [7, 10_001], "root's group is never among them");
    }
}
