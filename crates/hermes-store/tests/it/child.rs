//! Other processes: this test program started again, to do one of the actions here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_home::redact::Redactor;
use hermes_proto::HostEnvironment;
use hermes_store::audit::Audit;
use hermes_store::{Settings, Store};

use super::{killed, writers};

const ACTION: &str = "HERMES_TEST_ACTION";
const HOME: &str = "HERMES_TEST_HOME";

pub(super) fn store(home: &Path) -> Store {
    Store::of(home, Settings::default())
}

pub(super) fn audit(home: &Path) -> Audit {
    Audit::open(&store(home), Redactor::default())
}

/// A process that will do this; what it tells comes on its standard error.
#[expect(clippy::disallowed_methods, reason = "a test starts other processes to be killed and to compete with")]
pub(super) fn child(action: &str, home: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::does_what_it_is_told", "--nocapture"]);
    command.env_clear().env(ACTION, action).env(HOME, home);
    // Standard output belongs to the test harness.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Started by another test this is the child; started as a test it starts one.
#[test]
fn does_what_it_is_told() {
    let environment = HostEnvironment::capture();
    let home = environment.path(HOME).unwrap_or_default();
    match environment.text(ACTION) {
        None => assert!(child("nothing", &PathBuf::new()).status().unwrap().success()),
        Some("nothing") => {}
        Some("append") => writers::append(&home),
        Some("append for ever") => killed::append_for_ever(&home),
        Some("talk for ever") => killed::talk_for_ever(&home),
        Some(other) => panic!("no such action: {other}"),
    }
}
