//! What this kernel gives for isolation, found out by trying.
//!
//! Version numbers lie: distributions patch features in, administrators and container
//! runtimes switch them off. Each probe asks for the thing itself and keeps the
//! kernel's reason when it refuses. Nothing here changes the calling process.

mod cgroup;
mod child;
mod landlock;
mod namespaces;
mod seccomp;

use rustix::io::Errno;
use rustix::process::{PidfdFlags, getpid, pidfd_open};

pub use cgroup::CgroupVersion;
pub use landlock::Landlock;
pub use namespaces::{ForbiddenBy, NamespaceStep, Namespaces, Obstacle};
pub use seccomp::Seccomp;

/// What the kernel gives to this process, at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelFeatures {
    /// User namespaces, with mount and process namespaces inside.
    pub namespaces: Namespaces,
    pub landlock: Landlock,
    pub seccomp: Seccomp,
    pub cgroup: CgroupVersion,
    pub no_new_privileges: Support,
    pub pidfd: Support,
}

/// A feature that is there or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    Available,
    /// The error number of the refusal.
    Unavailable(i32),
}

impl KernelFeatures {
    /// Tries everything; takes a few milliseconds and one short-lived child process.
    /// May be called while other threads run.
    pub fn probe() -> Self {
        Self {
            namespaces: namespaces::probe(),
            landlock: landlock::probe(),
            seccomp: seccomp::probe(),
            cgroup: cgroup::probe(),
            no_new_privileges: Support::of(rustix::thread::no_new_privs()),
            pidfd: Support::of(pidfd_open(getpid(), PidfdFlags::empty())),
        }
    }
}

/// Which Landlock there is; asks for nothing else and changes nothing.
pub(crate) fn landlock() -> Landlock {
    landlock::probe()
}

impl Support {
    fn of<T>(attempt: Result<T, Errno>) -> Self {
        attempt.map_or_else(|error| Self::Unavailable(error.raw_os_error()), |_| Self::Available)
    }
}

/// The error number that the last system call of this thread left.
fn last_error() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or_default()
}
