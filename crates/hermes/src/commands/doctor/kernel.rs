//! What the kernel gives for isolation, and what is lost where it does not.
//!
//! None of these stops Hermes, because commands may run elsewhere (docker, ssh), but
//! nobody should find out from an incident that a layer was not there.

use std::io;

use hermes_sandbox::kernel::{
    CgroupVersion, ForbiddenBy, Landlock, NamespaceStep, Namespaces, Obstacle, Seccomp, Support,
};

use super::finding::Finding;
use super::subject::Subject;

pub(super) fn namespaces(subject: &Subject) -> Finding {
    const LOST: &str = "local commands see all processes and files of this user";
    match subject.kernel().namespaces {
        Namespaces::Available => Finding::ok("user, mount and process namespaces"),
        Namespaces::Unavailable { step, obstacle } => {
            let seen = format!("{}: {}", failed(step), reason(obstacle));
            Finding::warning(seen, format!("{LOST}; {}", mend(obstacle)))
        }
        Namespaces::Untried(error) => {
            Finding::warning(format!("could not be tried: {}", text(error)), "end some processes and try again")
        }
    }
}

pub(super) fn landlock(subject: &Subject) -> Finding {
    const LOST: &str = "files cannot be closed to local commands by Landlock";
    match subject.kernel().landlock {
        Landlock::Available { abi } => Finding::ok(format!("ABI {abi}")),
        Landlock::NotBuilt => Finding::warning(
            "not built into this kernel",
            format!("{LOST}; use Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK"),
        ),
        Landlock::NotEnabled => Finding::warning(
            "built into this kernel, but not enabled at boot",
            format!("{LOST}; add landlock to lsm= on the kernel's command line"),
        ),
        Landlock::Refused(error) => Finding::warning(
            format!("refused: {}", text(error)),
            format!("{LOST}; in a container, allow landlock_create_ruleset in its seccomp profile"),
        ),
    }
}

pub(super) fn seccomp(subject: &Subject) -> Finding {
    const LOST: &str = "dangerous system calls cannot be kept from local commands";
    match subject.kernel().seccomp {
        Seccomp::Filter { notify: true } => Finding::ok("filters, with notification"),
        Seccomp::Filter { notify: false } => Finding::ok("filters"),
        Seccomp::NotBuilt => Finding::warning(
            "filters are not built into this kernel",
            format!("{LOST}; use a kernel with CONFIG_SECCOMP_FILTER"),
        ),
        Seccomp::Refused(error) => Finding::warning(
            format!("refused: {}", text(error)),
            format!("{LOST}; allow prctl and seccomp where Hermes itself is confined"),
        ),
    }
}

pub(super) fn no_new_privileges(subject: &Subject) -> Finding {
    support(subject.kernel().no_new_privileges, |error| {
        Finding::warning(error, "local commands may gain rights through setuid programs; use Linux 3.5 or newer")
    })
}

/// Whether a group can be made here is shown by `hermes sandbox status`, which makes one.
pub(super) fn cgroup(subject: &Subject) -> Finding {
    match subject.kernel().cgroup {
        CgroupVersion::V2 => Finding::ok("version 2"),
        CgroupVersion::V1 => Finding::ok("version 1"),
        CgroupVersion::Hybrid => Finding::ok("version 1, with version 2 beside it"),
        CgroupVersion::None => Finding::warning(
            "none is mounted",
            "memory and processes of local commands cannot be limited as a group; mount the cgroup file system",
        ),
    }
}

/// Without it no helper program can be watched: everything that starts one fails.
pub(super) fn pidfd(subject: &Subject) -> Finding {
    support(subject.kernel().pidfd, |error| {
        Finding::failure(
            error,
            "Hermes cannot watch the programs it starts; use Linux 5.3 or newer and allow pidfd_open",
        )
    })
}

fn support(support: Support, missing: impl FnOnce(String) -> Finding) -> Finding {
    match support {
        Support::Available => Finding::ok("available"),
        Support::Unavailable(error) => missing(format!("unavailable: {}", text(error))),
    }
}

fn failed(step: NamespaceStep) -> &'static str {
    match step {
        NamespaceStep::User => "no user namespace can be made",
        NamespaceStep::MountAndProcess => "no mount and process namespaces can be made in a user namespace",
        NamespaceStep::PrivateMounts => "mounts in a user namespace cannot be changed",
        NamespaceStep::FirstProcess => "no process can be started in a process namespace",
    }
}

fn reason(obstacle: Obstacle) -> String {
    match obstacle {
        Obstacle::NotBuilt => "not built into this kernel".to_owned(),
        Obstacle::LimitReached => "the limit on their number is reached".to_owned(),
        Obstacle::Forbidden(ForbiddenBy::Sysctl) => "forbidden by kernel.unprivileged_userns_clone".to_owned(),
        Obstacle::Forbidden(ForbiddenBy::AppArmor) => "forbidden by AppArmor".to_owned(),
        Obstacle::Forbidden(ForbiddenBy::Seccomp) => "forbidden by the seccomp filter on this process".to_owned(),
        Obstacle::Forbidden(ForbiddenBy::Unknown) => "not permitted".to_owned(),
        Obstacle::Killed(signal) => format!("the attempt was ended by signal {signal}"),
        Obstacle::Unexpected(error) => text(error),
    }
}

fn mend(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::NotBuilt => "use a kernel with CONFIG_USER_NS and CONFIG_PID_NS",
        Obstacle::LimitReached => "raise it with: sudo sysctl user.max_user_namespaces=10000",
        Obstacle::Forbidden(ForbiddenBy::Sysctl) => "allow it with: sudo sysctl kernel.unprivileged_userns_clone=1",
        Obstacle::Forbidden(ForbiddenBy::AppArmor) => {
            "allow it with: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        }
        Obstacle::Forbidden(ForbiddenBy::Seccomp) => {
            "the container that Hermes runs in is the boundary then, or give it a seccomp profile that allows unshare"
        }
        Obstacle::Forbidden(ForbiddenBy::Unknown) | Obstacle::Killed(_) | Obstacle::Unexpected(_) => {
            "run commands in docker or over ssh instead"
        }
    }
}

fn text(error: i32) -> String {
    io::Error::from_raw_os_error(error).to_string()
}
