//! Namespaces that an ordinary user can make: the ground of the local sandbox.
//!
//! That a user namespace can be made is not enough: some distributions allow it and
//! then refuse everything inside. So the probe goes as far as a sandbox would have to:
//! a user namespace, mount and process namespaces in it, mounts cut off from the
//! host, and a first process.

use std::fs;

use rustix::io::Errno;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::child::{self, Attempt, Forked, Refusal};
use super::seccomp;

/// Whether an ordinary process can have namespaces of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespaces {
    Available,
    /// The first step that failed, and why.
    Unavailable {
        step: NamespaceStep,
        obstacle: Obstacle,
    },
    /// There was no process or descriptor left to try it with: the error number.
    Untried(i32),
}

/// What has to work, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum NamespaceStep {
    /// A user namespace can be made.
    User = 1,
    /// Mount and process namespaces can be made inside it.
    MountAndProcess = 2,
    /// The mounts inside can be changed.
    PrivateMounts = 3,
    /// A first process can be started inside.
    FirstProcess = 4,
}

/// Why a step failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The kernel was built without it.
    NotBuilt,
    /// The limit on their number is reached; it may have been set to zero.
    LimitReached,
    Forbidden(ForbiddenBy),
    /// This signal ended the attempt.
    Killed(i32),
    /// The error number.
    Unexpected(i32),
}

/// Who forbids, as far as it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenBy {
    /// `kernel.unprivileged_userns_clone` is 0.
    Sysctl,
    /// `kernel.apparmor_restrict_unprivileged_userns` is 1.
    AppArmor,
    /// A filter on this process, as container runtimes install one.
    Seccomp,
    Unknown,
}

#[expect(unsafe_code, reason = "the steps run in a child of a threaded process")]
pub(super) fn probe() -> Namespaces {
    // SAFETY: `steps` makes system calls only.
    match unsafe { child::attempt(steps) } {
        Ok(Attempt::Succeeded) => Namespaces::Available,
        Ok(Attempt::Refused(refusal)) => {
            let step = NamespaceStep::from_number(refusal.step);
            Namespaces::Unavailable { step, obstacle: Obstacle::of_error(step, refusal.error, &Clues::gather()) }
        }
        Ok(Attempt::Killed(signal)) => {
            Namespaces::Unavailable { step: NamespaceStep::User, obstacle: Obstacle::of_signal(signal) }
        }
        Err(error) => Namespaces::Untried(error),
    }
}

/// In the child.
fn steps() -> Result<(), Refusal> {
    refused(NamespaceStep::User, unshare(UnshareFlags::NEWUSER))?;
    refused(NamespaceStep::MountAndProcess, unshare(UnshareFlags::NEWNS | UnshareFlags::NEWPID))?;
    let cut_off = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    refused(NamespaceStep::PrivateMounts, mount_change(c"/", cut_off))?;
    start_first_process().map_err(|error| Refusal { step: NamespaceStep::FirstProcess as u8, error })
}

fn refused(step: NamespaceStep, outcome: Result<(), Errno>) -> Result<(), Refusal> {
    outcome.map_err(|error| Refusal { step: step as u8, error: error.raw_os_error() })
}

#[expect(unsafe_code, reason = "rustix marks it so because of descriptor tables")]
fn unshare(what: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: descriptor tables are not unshared, and the process has one thread.
    unsafe { unshare_unsafe(what) }
}

#[expect(unsafe_code, reason = "a process namespace is entered by forking")]
fn start_first_process() -> Result<(), i32> {
    // SAFETY: the child ends at once.
    match unsafe { child::fork() }? {
        Forked::Child => child::end(0),
        Forked::Parent { child } => {
            child::wait_for(child);
            Ok(())
        }
    }
}

/// What the system says about its rules.
#[derive(Debug)]
struct Clues {
    sysctl_forbids: bool,
    apparmor_restricts: bool,
    filtered: bool,
}

impl Clues {
    fn gather() -> Self {
        let holds = |file: &str, value: &str| fs::read_to_string(file).is_ok_and(|text| text.trim() == value);
        Self {
            sysctl_forbids: holds("/proc/sys/kernel/unprivileged_userns_clone", "0"),
            apparmor_restricts: holds("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
            filtered: seccomp::is_filtered(),
        }
    }

    fn who_forbids(&self) -> ForbiddenBy {
        match self {
            Self { sysctl_forbids: true, .. } => ForbiddenBy::Sysctl,
            Self { apparmor_restricts: true, .. } => ForbiddenBy::AppArmor,
            Self { filtered: true, .. } => ForbiddenBy::Seccomp,
            _ => ForbiddenBy::Unknown,
        }
    }
}

impl Obstacle {
    fn of_error(step: NamespaceStep, error: i32, clues: &Clues) -> Self {
        match error {
            libc::ENOSPC | libc::EUSERS => Self::LimitReached,
            libc::EPERM | libc::EACCES => Self::Forbidden(clues.who_forbids()),
            // A filter that hides a call answers as an old kernel would.
            libc::ENOSYS if clues.filtered => Self::Forbidden(ForbiddenBy::Seccomp),
            libc::EINVAL | libc::ENOSYS if step != NamespaceStep::PrivateMounts => Self::NotBuilt,
            other => Self::Unexpected(other),
        }
    }

    fn of_signal(signal: i32) -> Self {
        // The signal of a filter that kills for asking.
        if signal == libc::SIGSYS { Self::Forbidden(ForbiddenBy::Seccomp) } else { Self::Killed(signal) }
    }
}

impl NamespaceStep {
    fn from_number(number: u8) -> Self {
        match number {
            2 => Self::MountAndProcess,
            3 => Self::PrivateMounts,
            4 => Self::FirstProcess,
            _ => Self::User,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clues, ForbiddenBy, NamespaceStep, Obstacle};

    const NO_CLUE: Clues = Clues { sysctl_forbids: false, apparmor_restricts: false, filtered: false };

    #[test]
    fn an_error_becomes_a_reason() {
        let user = NamespaceStep::User;
        let filtered = Clues { filtered: true, ..NO_CLUE };
        let apparmor = Clues { apparmor_restricts: true, ..filtered };
        let sysctl = Clues { sysctl_forbids: true, ..apparmor };
        for (step, error, clues, expected) in [
            (user, libc::ENOSPC, &NO_CLUE, Obstacle::LimitReached),
            (user, libc::EUSERS, &NO_CLUE, Obstacle::LimitReached),
            (user, libc::EINVAL, &NO_CLUE, Obstacle::NotBuilt),
            (user, libc::ENOSYS, &NO_CLUE, Obstacle::NotBuilt),
            (user, libc::ENOSYS, &filtered, Obstacle::Forbidden(ForbiddenBy::Seccomp)),
            (user, libc::EPERM, &NO_CLUE, Obstacle::Forbidden(ForbiddenBy::Unknown)),
            (user, libc::EPERM, &filtered, Obstacle::Forbidden(ForbiddenBy::Seccomp)),
            (user, libc::EACCES, &apparmor, Obstacle::Forbidden(ForbiddenBy::AppArmor)),
            (user, libc::EPERM, &sysctl, Obstacle::Forbidden(ForbiddenBy::Sysctl)),
            (NamespaceStep::PrivateMounts, libc::EINVAL, &NO_CLUE, Obstacle::Unexpected(libc::EINVAL)),
            (NamespaceStep::FirstProcess, libc::EAGAIN, &NO_CLUE, Obstacle::Unexpected(libc::EAGAIN)),
        ] {
            assert_eq!(Obstacle::of_error(step, error, clues), expected, "{step:?} {error} {clues:?}");
        }
    }

    #[test]
    fn a_deadly_filter_is_told_from_other_deaths() {
        assert_eq!(Obstacle::of_signal(libc::SIGSYS), Obstacle::Forbidden(ForbiddenBy::Seccomp));
        assert_eq!(Obstacle::of_signal(libc::SIGKILL), Obstacle::Killed(libc::SIGKILL));
    }

    #[test]
    fn steps_keep_their_number() {
        for step in [
            NamespaceStep::User,
            NamespaceStep::MountAndProcess,
            NamespaceStep::PrivateMounts,
            NamespaceStep::FirstProcess,
        ] {
            assert_eq!(NamespaceStep::from_number(step as u8), step);
        }
    }
}
