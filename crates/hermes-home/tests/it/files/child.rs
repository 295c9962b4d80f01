//! Other processes: this test program started again, to do one of the actions here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hermes_proto::HostEnvironment;

use super::{killed, modes, mounts, writers};

const ACTION: &str = "HERMES_TEST_ACTION";
const HOME: &str = "HERMES_TEST_HOME";
const VALUE: &str = "HERMES_TEST_VALUE";

/// What a child has to do, where, and with what.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) action: &'static str,
    pub(super) home: PathBuf,
    pub(super) value: String,
}

impl Task {
    pub(super) fn new(action: &'static str, home: PathBuf) -> Self {
        Self { action, home, value: String::new() }
    }

    pub(super) fn value(self, value: impl Into<String>) -> Self {
        Self { value: value.into(), ..self }
    }

    /// A process that will do this.
    pub(super) fn command(&self) -> Command {
        self.prefixed(&[])
    }

    /// The same in a user and mount namespace of its own, where it may mount.
    pub(super) fn in_namespace(&self) -> Command {
        self.prefixed(&["unshare", "-Urm"])
    }

    fn prefixed(&self, prefix: &[&str]) -> Command {
        let mut words: Vec<OsString> = prefix.iter().map(OsString::from).collect();
        words.push(std::env::current_exe().unwrap().into());
        words.extend(["--exact", "files::child::does_what_it_is_told", "--nocapture"].map(OsString::from));
        let mut command = program(&words);
        command.env(ACTION, self.action).env(HOME, &self.home).env(VALUE, &self.value);
        command
    }

    fn perform(&self) {
        let Self { home, value, .. } = self;
        match self.action {
            "greet" => {}
            "write" => killed::write_for_ever(home),
            "insert" => writers::insert(home, value),
            "umask" => modes::under_umask(home, value),
            "full disk" => mounts::on_a_full_disk(home),
            "no inodes" => mounts::without_inodes(home),
            "read-only" => mounts::on_a_read_only_mount(home),
            "mounted file" => mounts::on_a_mounted_file(home),
            other => panic!("no such action: {other}"),
        }
        // Standard output belongs to the test harness.
        eprintln!("done: {}", self.action);
    }
}

/// A program with a clean environment.
#[expect(clippy::disallowed_methods, reason = "a test starts other processes to be killed and to compete with")]
pub(super) fn program(words: &[impl AsRef<std::ffi::OsStr>]) -> Command {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// Waits for a child and fails if it did not do all of its task.
pub(super) fn assert_done(task: &Task, mut command: Command) {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let done = output.status.success() && errors.contains(&format!("done: {}", task.action));
    assert!(done, "{task:?}: {}\n{errors}", output.status);
}

/// Started by another test this is the child; started as a test it starts one.
#[test]
fn does_what_it_is_told() {
    let environment = HostEnvironment::capture();
    let Some(action) = environment.text(ACTION) else {
        let task = Task::new("greet", PathBuf::new());
        return assert_done(&task, task.command());
    };
    let home = environment.path(HOME).unwrap_or_default();
    let task = Task { action: String::from(action).leak(), home, value: environment.text(VALUE).unwrap().to_owned() };
    task.perform();
}

/// Fails with a clear message where namespaces are not to be had.
pub(super) fn assert_done_in_namespace(action: &'static str, home: &Path) {
    let probe = program(&["unshare", "-Urm", "true"]).output();
    let possible = probe.as_ref().is_ok_and(|output| output.status.success());
    assert!(possible, "this test needs unshare(1) and user namespaces, which this machine refuses: {probe:?}");
    let task = Task::new(action, home.to_owned());
    assert_done(&task, task.in_namespace());
}
