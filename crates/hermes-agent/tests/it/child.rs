//! Other processes: this test program started again, to do one of the actions here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_proto::HostEnvironment;

use super::killed;

const ACTION: &str = "HERMES_TEST_ACTION";
const HOME: &str = "HERMES_TEST_HOME";

/// A process that will do this; what it tells comes on its standard error.
#[expect(clippy::disallowed_methods, reason = "a test starts another process to kill it")]
pub(crate) fn child(action: &str, home: &Path) -> Command {
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
        Some("talk for ever") => killed::talk_for_ever(&home),
        Some("hang in a tool") => killed::hang_in_a_tool(&home),
        Some("hang in an answer") => killed::hang_in_an_answer(&home),
        Some(other) => panic!("no such action: {other}"),
    }
}
