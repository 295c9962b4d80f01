//! The running test program, started again as another process: one to be killed, or to compete with.

#![expect(clippy::expect_used, reason = "a test tool reports by panicking")]

use std::path::Path;
use std::process::{Command, Stdio};

use hermes_proto::HostEnvironment;

const ACTION: &str = "HERMES_TEST_ACTION";
const HOME: &str = "HERMES_TEST_HOME";
/// What a child does that only has to start and end.
const NOTHING: &str = "nothing";

/// What a child can be told to do, by name, with a home.
pub type Actions<'a> = &'a [(&'a str, fn(&Path))];

/// Starts this program again, as far as one test.
#[derive(Debug, Clone, Copy)]
pub struct Again(&'static str);

impl Again {
    /// The test of this name calls [`Self::act`] and nothing else.
    pub const fn as_test(name: &'static str) -> Self {
        Self(name)
    }

    /// A process that will do this; what it tells comes on its standard error.
    #[expect(clippy::disallowed_methods, reason = "a test starts its own program")]
    pub fn child(self, action: &str, home: &Path) -> Command {
        let program = std::env::current_exe().expect("a test knows its own program");
        let mut command = Command::new(program);
        command.args(["--exact", self.0, "--nocapture"]);
        command.env_clear().env(ACTION, action).env(HOME, home);
        // Standard output belongs to the test harness.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// In a child: does what it was started for. As a test: starts a child that does nothing, to show that one can be.
    ///
    /// # Panics
    /// If no child can be started, or if it is told to do what nobody can.
    pub fn act(self, actions: Actions<'_>) {
        let environment = HostEnvironment::capture();
        let home = environment.path(HOME).unwrap_or_default();
        match environment.text(ACTION) {
            None => {
                let status = self.child(NOTHING, Path::new("")).status().expect("a child starts");
                assert!(status.success(), "{status}");
            }
            Some(NOTHING) => {}
            Some(action) => {
                let known = actions.iter().find(|(name, _)| *name == action);
                let (_, act) = known.unwrap_or_else(|| panic!("no such action: {action}"));
                act(&home);
            }
        }
    }
}
