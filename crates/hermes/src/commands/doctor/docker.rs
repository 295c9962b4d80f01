//! Docker, or what stands in for it. Optional: only the docker backend needs it.
//!
//! A client without its daemon looks installed and fails at the first command, and a
//! daemon that is ill accepts the question and never answers. So the daemon is asked.

use std::path::PathBuf;

use hermes_environment::docker::{CLIENT_VARIABLES, VARIABLE};
use hermes_proto::Explain;
use hermes_sandbox::process::{HelperError, find_program};

use super::finding::Finding;
use super::paths::shown;
use super::programs::{helper, path_variable};
use super::subject::Subject;
use super::version::Version;

/// The version of the daemon; podman has none and answers for itself. Docker's client
/// fails, whatever the template says, if its daemon does not answer.
const QUESTION: [&str; 3] =
    ["version", "--format", "{{if .Server}}{{.Server.Version}}{{else}}{{.Client.Version}}{{end}}"];

pub(super) fn engine(subject: &Subject) -> Finding {
    let client = match find_client(subject) {
        Ok(client) => client,
        Err(finding) => return finding,
    };
    let place = shown(&client, subject);
    match helper(&client, subject, &CLIENT_VARIABLES).args(QUESTION).run() {
        Ok(outcome) => match Version::find(&outcome.standard_output.text()) {
            Some(version) => Finding::ok(format!("{version} answers ({place})")),
            None => Finding::warning(format!("{place} answers without a version"), "check that it is Docker or podman"),
        },
        Err(error) => trouble(&place, &error),
    }
}

fn find_client(subject: &Subject) -> Result<PathBuf, Finding> {
    let path = path_variable(subject);
    if let Some(named) = subject.environment.get(VARIABLE).filter(|value| !value.is_empty()) {
        return find_program(named, path).ok_or_else(|| {
            Finding::warning(
                format!("{VARIABLE} names {}, which is no program", named.display()),
                format!("set {VARIABLE} to the docker or podman program, or unset it"),
            )
        });
    }
    ["docker", "podman"].iter().find_map(|name| find_program(name, path)).ok_or_else(|| {
        Finding::warning(
            "not installed: neither docker nor podman is in PATH",
            "optional; install one of them to run commands in containers",
        )
    })
}

fn trouble(place: &str, error: &HelperError) -> Finding {
    match error {
        HelperError::TimedOut { limit, .. } | HelperError::Stuck { limit, .. } => Finding::warning(
            format!("installed ({place}), but no answer within {} s", limit.as_secs()),
            "optional; the daemon hangs: look at its log, or restart it with: sudo systemctl restart docker",
        ),
        HelperError::Failed { outcome, ending, .. } => {
            let said = outcome.standard_error.first_line().unwrap_or_else(|| ending.to_string());
            let advice = if said.to_lowercase().contains("permission denied") {
                "optional; let this user talk to the daemon with: sudo usermod -aG docker \"$USER\", then log in again"
            } else {
                "optional; start the daemon with: sudo systemctl start docker"
            };
            Finding::warning(format!("installed ({place}), but the daemon does not answer: {said}"), advice)
        }
        other => Finding::warning(
            other.to_string(),
            other.hint().unwrap_or_else(|| "optional; reinstall it to run commands in containers".to_owned()),
        ),
    }
}
