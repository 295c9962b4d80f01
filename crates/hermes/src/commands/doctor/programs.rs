//! Programs of the host that commands and scripts of agents need.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use hermes_proto::Explain;
use hermes_sandbox::process::{Helper, HelperError, find_program};

use super::finding::Finding;
use super::paths::shown;
use super::subject::Subject;
use super::version::Version;

/// How long a program may think about its own version.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The variables that any program gets.
const PASSED_ON: [&str; 2] = ["PATH", "HOME"];

/// The shell that commands are given to.
pub(super) fn bash(subject: &Subject) -> Finding {
    let Some(file) = find_program("bash", path_variable(subject)) else {
        return Finding::failure("not found in PATH", "install bash: commands of agents are given to it");
    };
    match version(&file, subject) {
        Ok(version) => Finding::ok(format!("{version} ({})", shown(&file, subject))),
        Err(trouble) => trouble.into_failure("reinstall bash: commands of agents are given to it"),
    }
}

/// The language of `execute_code`.
pub(super) fn python(subject: &Subject) -> Finding {
    const ADVICE: &str = "install Python 3.8 or newer as python3: without it agents cannot run code";
    let Some(file) = find_program("python3", path_variable(subject)) else {
        return Finding::warning("not found in PATH", ADVICE);
    };
    match version(&file, subject) {
        Ok(version) if version < Version::new(&[3, 8]) => {
            Finding::warning(format!("{version} is too old ({})", shown(&file, subject)), ADVICE)
        }
        Ok(version) => Finding::ok(format!("{version} ({})", shown(&file, subject))),
        Err(trouble) => trouble.into_warning(ADVICE),
    }
}

/// The folders that programs are looked for in.
pub(super) fn path_variable(subject: &Subject) -> &OsStr {
    subject.environment.get("PATH").unwrap_or_default()
}

/// A program that gets what every program gets, and these variables of ours.
pub(super) fn helper(file: &Path, subject: &Subject, variables: &[&str]) -> Helper {
    let names = PASSED_ON.iter().chain(variables);
    let pairs = names.filter_map(|name| subject.environment.get(name).map(|value| (name, value)));
    Helper::new(file).time_limit(TIME_LIMIT).environment(pairs)
}

/// A program that is there and does not tell its version.
struct Trouble {
    seen: String,
    /// Set where the program is not to blame.
    advice: Option<String>,
}

impl Trouble {
    fn into_warning(self, advice: &str) -> Finding {
        Finding::warning(self.seen, self.advice.unwrap_or_else(|| advice.to_owned()))
    }

    fn into_failure(self, advice: &str) -> Finding {
        Finding::failure(self.seen, self.advice.unwrap_or_else(|| advice.to_owned()))
    }
}

impl From<HelperError> for Trouble {
    fn from(error: HelperError) -> Self {
        Self { seen: error.to_string(), advice: error.hint() }
    }
}

fn version(file: &Path, subject: &Subject) -> Result<Version, Trouble> {
    let outcome = helper(file, subject, &[]).args(["--version"]).run()?;
    let text = outcome.standard_output.text();
    Version::find(&text).ok_or_else(|| {
        let said = outcome.standard_output.first_line().unwrap_or_else(|| "nothing".to_owned());
        Trouble { seen: format!("{}: told no version, but: {said}", file.display()), advice: None }
    })
}
