//! The table of checks, and how all of them are run.
//!
//! Programs take their time and some never answer; run one after the other, their
//! limits would add up. Each check has a thread of its own.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use super::finding::{Checked, Finding};
use super::subject::Subject;
use super::{configuration, credentials, disk, docker, home, kernel, programs};

/// How long nothing may be heard before the person is told who is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Every check, in the order of the report. The names are part of `--json`.
const CHECKS: &[Check] = &[
    Check { area: Area::Home, name: "home", run: home::folder },
    Check { area: Area::Home, name: "config.yaml", run: home::config_file },
    Check { area: Area::Home, name: ".env", run: home::env_file },
    Check { area: Area::Home, name: "auth.json", run: home::auth_file },
    Check { area: Area::Home, name: "configuration", run: configuration::settings },
    Check { area: Area::Home, name: "credentials", run: credentials::present },
    Check { area: Area::Home, name: "disk", run: disk::free },
    Check { area: Area::Programs, name: "bash", run: programs::bash },
    Check { area: Area::Programs, name: "python3", run: programs::python },
    Check { area: Area::Programs, name: "docker", run: docker::engine },
    Check { area: Area::Kernel, name: "namespaces", run: kernel::namespaces },
    Check { area: Area::Kernel, name: "landlock", run: kernel::landlock },
    Check { area: Area::Kernel, name: "seccomp", run: kernel::seccomp },
    Check { area: Area::Kernel, name: "no_new_privs", run: kernel::no_new_privileges },
    Check { area: Area::Kernel, name: "cgroup", run: kernel::cgroup },
    Check { area: Area::Kernel, name: "pidfd", run: kernel::pidfd },
];

/// One thing to look at.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) area: Area,
    pub(super) name: &'static str,
    run: fn(&Subject) -> Finding,
}

/// What a check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Area {
    Home,
    Programs,
    Kernel,
}

/// Runs all checks at once. `tell` hears the names of those that are still out when
/// nothing has come back for a while, once as long as they stay the same.
pub(super) fn run(subject: &Subject, tell: impl Fn(&[&str])) -> Vec<Checked> {
    let mut findings: Vec<Option<Finding>> = CHECKS.iter().map(|_| None).collect();
    thread::scope(|scope| {
        let (found, arriving) = mpsc::channel();
        for (place, check) in CHECKS.iter().enumerate() {
            let found = found.clone();
            // The receiver below outlives all threads of this scope.
            let job = move || drop(found.send((place, (check.run)(subject))));
            if thread::Builder::new().spawn_scoped(scope, job).is_err() {
                // A machine that has no thread left still wants its diagnosis.
                findings[place] = Some((check.run)(subject));
            }
        }
        drop(found);
        let mut told = Vec::new();
        loop {
            match arriving.recv_timeout(PATIENCE) {
                Ok((place, finding)) => findings[place] = Some(finding),
                Err(RecvTimeoutError::Timeout) => {
                    let waiting = still_out(&findings);
                    if waiting != told {
                        tell(&waiting);
                        told = waiting;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    let both = CHECKS.iter().zip(findings);
    both.filter_map(|(check, finding)| finding.map(|finding| Checked { check, finding })).collect()
}

fn still_out(findings: &[Option<Finding>]) -> Vec<&'static str> {
    CHECKS.iter().zip(findings).filter(|(_, finding)| finding.is_none()).map(|(check, _)| check.name).collect()
}

#[cfg(test)]
impl Check {
    /// A check that finds nothing, for tests of the report.
    pub(super) const fn example(name: &'static str) -> Self {
        Self { area: Area::Home, name, run: |_| Finding::ok("") }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::CHECKS;

    #[test]
    fn names_are_unique_because_scripts_look_checks_up_by_them() {
        let names: BTreeSet<_> = CHECKS.iter().map(|check| check.name).collect();
        assert_eq!(names.len(), CHECKS.len());
    }
}
