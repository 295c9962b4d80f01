//! Asking the programs of s6, each to its end and within a time.

use std::path::Path;
use std::time::Duration;

use hermes_sandbox::process::{Helper, HelperError, HelperOutcome};

use crate::manager::ServiceError;
use crate::places::Places;

/// A service ends within seven seconds or is killed; what comes after takes less than the rest.
const WAIT: &str = "12000";
const TIME: Duration = Duration::from_secs(15);

/// What a service is asked to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Up,
    /// Really down, with its last words said, when the call returns.
    Down,
}

/// What a supervisor says of its service.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) process: Option<i32>,
    pub(super) wanted: bool,
}

/// What the scanner is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// Look for new services.
    Again,
    /// And end the supervisors of those that are gone.
    AndForget,
}

pub(super) fn control(places: &Places, slot: &Path, want: Want) -> Result<(), ServiceError> {
    let (action, words): (_, &[&str]) = match want {
        Want::Up => ("start", &["-u"]),
        Want::Down => ("stop", &["-wD", "-T", WAIT, "-d"]),
    };
    let asked = tool(places, "s6-svc").args(words.iter().copied()).args([slot]).run();
    asked.map(drop).map_err(failed(slot, action))
}

pub(super) fn ask(places: &Places, slot: &Path) -> Result<Wanted, ServiceError> {
    let asked = tool(places, "s6-svstat").args(["-o", "pid,wantedup"]).args([slot]).run();
    asked.map(|outcome| read_status(&outcome)).map_err(failed(slot, "ask"))
}

pub(super) fn scan(places: &Places, how: Scan) -> Result<(), HelperError> {
    let word = match how {
        Scan::Again => "-a",
        Scan::AndForget => "-an",
    };
    tool(places, "s6-svscanctl").args([word]).args([&places.scan]).run().map(drop)
}

fn tool(places: &Places, name: &str) -> Helper {
    let path = format!("{}:/usr/bin:/bin", places.tools.display());
    Helper::new(places.tool(name)).environment([("PATH", path)]).time_limit(TIME)
}

fn failed(slot: &Path, action: &'static str) -> impl FnOnce(HelperError) -> ServiceError {
    let service = slot.file_name().unwrap_or_default().to_string_lossy().into_owned();
    move |source| ServiceError::Command { service, action, source }
}

/// `71 true`, or `-1 false`.
fn read_status(outcome: &HelperOutcome) -> Wanted {
    let text = outcome.standard_output.text();
    let mut words = text.split_whitespace();
    let process = words.next().and_then(|number| number.parse().ok()).filter(|number| *number > 0);
    Wanted { process, wanted: words.next() == Some("true") }
}

#[cfg(test)]
mod tests {
    use hermes_sandbox::process::{Captured, HelperOutcome};

    use super::{Wanted, read_status};

    #[test]
    fn the_answer_of_svstat_is_two_words() {
        let check = |text: &str, process, wanted| {
            let standard_output = Captured { bytes: text.into(), dropped: 0 };
            let outcome = HelperOutcome { standard_output, standard_error: Captured::default() };
            assert_eq!(read_status(&outcome), Wanted { process, wanted }, "{text:?}");
        };
        check("71 true\n", Some(71), true);
        check("71 false\n", Some(71), false);
        check("-1 false\n", None, false);
        check("-1 true\n", None, true);
        check("", None, false);
    }
}
