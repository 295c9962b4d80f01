//! Runs the program under test in a temporary home with a clean environment.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A temporary directory with a Hermes home inside, and the program to run on it.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// An account that owns nothing, to be somebody else with when the tests run as root.
pub(crate) const STRANGER: u32 = 54_321;

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
    pub(crate) fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = quiet(env!("CARGO_BIN_EXE_hermes"));
        self.surround(&mut command);
        command.args(arguments);
        command
    }

    /// The program, started through `before`, by an account that is not root: the one the tests
    /// run as, or else [`STRANGER`] with a copy of the program that it can reach.
    pub(crate) fn command_as_ordinary_user(&self, before: &[&str], arguments: &[&str]) -> Command {
        let mut words = before.iter().map(OsStr::new).collect::<Vec<_>>();
        let program = if is_root() { self.program_for_all() } else { env!("CARGO_BIN_EXE_hermes").into() };
        words.push(program.as_os_str());
        let mut command = quiet(words[0]);
        self.surround(&mut command);
        command.args(&words[1..]).args(arguments).current_dir("/");
        if is_root() {
            command.uid(STRANGER).gid(STRANGER);
        }
        command
    }

    fn surround(&self, command: &mut Command) {
        command.env("HERMES_HOME", self.home()).env("HOME", self.folder.path());
    }

    /// The program in a place where every account may run it: the build's folder may be private.
    fn program_for_all(&self) -> PathBuf {
        set_mode(self.folder.path(), 0o755);
        let copy = self.folder.path().join("hermes");
        if !copy.exists() {
            std::fs::copy(env!("CARGO_BIN_EXE_hermes"), &copy).unwrap();
            set_mode(&copy, 0o755);
        }
        copy
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

/// A program with a clean environment, no input, and its output for the test.
#[expect(clippy::disallowed_methods, reason = "a test starts programs as a shell would")]
pub(crate) fn quiet(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Permission bits of a path itself, not of what it links to.
pub(crate) fn mode(path: impl AsRef<Path>) -> u32 {
    path.as_ref().symlink_metadata().unwrap().permissions().mode() & 0o7777
}

pub(crate) fn set_mode(path: impl AsRef<Path>, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}
