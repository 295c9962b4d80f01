//! Runs the program under test in a temporary home with a clean environment.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A temporary directory with a Hermes home inside, and the program to run on it.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// What one run of the program left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// HERMES_HOME of the runs.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A file of the home.
    pub(crate) fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.home().join(name)
    }

    /// Writes a file of the home, creating the home private if needed.
    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    /// The program with a clean environment and this home; nothing has run yet.
    #[expect(clippy::disallowed_methods, reason = "a test starts the program as a shell would")]
    pub(crate) fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hermes"));
        command
            .args(arguments)
            .env_clear()
            .env("HERMES_HOME", self.home())
            .env("HOME", self.folder.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        finish(self.command(arguments).spawn().unwrap())
    }

    /// Runs the program to its end with this text on standard input.
    pub(crate) fn run_with_input<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, input: &str) -> Run {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // The program may end without reading all of it; then the pipe is closed.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        finish(child)
    }

    /// Runs the program and expects it to succeed.
    pub(crate) fn ok<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{run:?}");
        run.stdout
    }

    /// Runs the program and expects it to end with this code; answers its standard error.
    pub(crate) fn fails<A: AsRef<OsStr>>(&self, code: i32, arguments: impl IntoIterator<Item = A>) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{run:?}");
        assert!(!run.stderr.contains("panicked") && !run.stderr.contains("backtrace"), "{run:?}");
        run.stderr
    }
}

/// Waits for a started program and collects what it left.
pub(crate) fn finish(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
