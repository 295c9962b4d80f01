//! What the operator wants: should this home's gateway run?
//!
//! The answer is kept apart from what was last seen of the gateway, in a file that only an explicit
//! start or stop writes. Deriving it from the gateway's own state is how a container that was
//! stopped in passing came back with all its gateways dark. (Invariant 12.)

use std::convert::Infallible;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::files::{self, Change, FileError, Mode};

/// Written by explicit starts and stops only.
const FILE: &str = "gateway_intent.json";
/// Written by the gateway; read where no intent was ever stated.
const OBSERVED: &str = "gateway_state.json";

/// What an operator asked for last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    Running,
    Stopped,
}

/// What is known at boot about a gateway that nobody has started yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    /// As it is said in the boot log: the intent, else the state last seen.
    pub state: Option<String>,
    /// Something that could not be read, and why.
    pub problem: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    desired_state: Intent,
    /// Seconds since 1970.
    updated_at: u64,
}

/// The gateway's own file, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
struct Observed {
    desired_state: Option<String>,
    gateway_state: Option<String>,
}

/// Keeps what the operator wants for the home at `home`.
pub fn keep(home: &Path, intent: Intent) -> Result<(), FileError> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let stored = Stored { desired_state: intent, updated_at: now.as_secs() };
    let content = serde_json::to_vec(&stored).unwrap_or_default();
    files::update(home, FILE, Mode::Private, |_| Ok::<_, Infallible>(Change::Replace(content))).map_err(FileError::from)
}

/// What an operator stated for the home at `home`, if one ever did.
pub fn stated(home: &Path) -> Result<Option<Intent>, String> {
    let bytes = files::read(&home.join(FILE)).map_err(|error| error.to_string())?;
    let Some(bytes) = bytes else { return Ok(None) };
    let stored = serde_json::from_slice::<Stored>(bare(&bytes)).map_err(|error| format!("{FILE}: {error}"))?;
    Ok(Some(stored.desired_state))
}

/// What the operator wants for the home at `home`, or what it did when last seen.
pub fn prior(home: &Path) -> Prior {
    let problem = match stated(home) {
        Ok(Some(intent)) => return Prior { state: Some(intent.as_str().to_owned()), problem: None },
        Ok(None) => None,
        Err(problem) => Some(problem),
    };
    match observed(home) {
        Ok(state) => Prior { state, problem },
        Err(text) => Prior { state: None, problem: Some(text) },
    }
}

impl Intent {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
        }
    }
}

impl Prior {
    /// Only what was meant to run is started.
    pub fn is_running(&self) -> bool {
        matches!(self.state.as_deref(), Some("running" | "draining" | "degraded"))
    }
}

/// What the gateway wrote about itself.
fn observed(home: &Path) -> Result<Option<String>, String> {
    let bytes = files::read(&home.join(OBSERVED)).map_err(|error| error.to_string())?;
    let Some(bytes) = bytes else { return Ok(None) };
    let state: Observed = serde_json::from_slice(bare(&bytes)).map_err(|error| format!("{OBSERVED}: {error}"))?;
    // A name, not a text of somebody's choice: it goes into a log of one line each.
    let word = |state: &String| !state.is_empty() && state.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    Ok(state.desired_state.or(state.gateway_state).filter(word))
}

/// Without the mark that some editors put at the beginning.
fn bare(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::{FILE, Intent, OBSERVED, keep, prior};

    #[test]
    fn only_what_was_meant_to_run_runs() {
        let check = |content: Option<&str>, state: Option<&str>, runs: bool| {
            let home = tempfile::tempdir().unwrap();
            if let Some(content) = content {
                std::fs::write(home.path().join(OBSERVED), content).unwrap();
            }
            let found = prior(home.path());
            assert_eq!((found.state.as_deref(), found.is_running()), (state, runs), "{content:?}");
        };
        check(None, None, false);
        check(Some(r#"{"gateway_state":"running","timestamp":1}"#), Some("running"), true);
        check(Some("\u{feff}{\"gateway_state\":\"running\"}"), Some("running"), true);
        check(Some(r#"{"gateway_state":"draining"}"#), Some("draining"), true);
        check(Some(r#"{"gateway_state":"stopped"}"#), Some("stopped"), false);
        check(Some(r#"{"gateway_state":"starting"}"#), Some("starting"), false);
        check(Some(r#"{"gateway_state":"startup_failed"}"#), Some("startup_failed"), false);
        check(Some(r#"{"gateway_state":"stopped","desired_state":"running"}"#), Some("running"), true);
        check(Some(r#"{"gateway_state":"running","desired_state":"stopped"}"#), Some("stopped"), false);
        check(Some(r#"{"gateway_state":"a\nprofile=evil action=started"}"#), None, false);
        check(Some("{"), None, false);
        check(Some(""), None, false);
        check(Some("[]"), None, false);
    }

    #[test]
    fn intent_wins_over_what_was_seen() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(OBSERVED), r#"{"gateway_state":"stopped"}"#).unwrap();
        keep(home.path(), Intent::Running).unwrap();
        assert!(prior(home.path()).is_running());
        std::fs::write(home.path().join(OBSERVED), r#"{"gateway_state":"running"}"#).unwrap();
        keep(home.path(), Intent::Stopped).unwrap();
        assert!(!prior(home.path()).is_running());
    }

    #[test]
    fn an_intent_that_cannot_be_read_is_told_and_starts_nothing_by_itself() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(FILE), "{\"desired_state\":\"perhaps\"}").unwrap();
        let found = prior(home.path());
        assert!(!found.is_running() && found.problem.unwrap().contains(FILE));
    }
}
