//! Runs a program that Hermes asks something, and always gets to an end.
//!
//! The programs are trusted, but they hang (a daemon that accepts and never
//! answers), flood, ask for a password on the terminal or leave children behind that
//! hold the pipes. So a helper has a session of its own without a terminal, no
//! standard input, bounded output and a time limit after which all of it is killed.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal, setsid};

use super::watch::{self, End, Limits};
use super::{Captured, Ending, HelperError, command, find};

/// How long a helper may take unless it is given its own limit.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How many bytes are kept of each output unless the helper is given its own limit.
const OUTPUT_LIMIT: usize = 64 * 1024;

/// A program to be run to its end. Nothing happens before [`Helper::run`].
#[derive(Debug, Clone)]
pub struct Helper {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
    limits: Limits,
}

/// What a helper that succeeded wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelperOutcome {
    pub standard_output: Captured,
    pub standard_error: Captured,
}

impl Helper {
    /// A program by its path, or by its name if the helper's environment has a PATH.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
            limits: Limits { time: TIME_LIMIT, output: OUTPUT_LIMIT },
        }
    }

    /// Appends arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Adds variables to the helper's environment, which starts out empty.
    #[must_use]
    pub fn environment<K: Into<OsString>, V: Into<OsString>>(
        mut self,
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        self.environment.extend(pairs.into_iter().map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// Runs in this folder instead of the current one.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Kills the helper and all of its process group after this time.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.limits.time = limit;
        self
    }

    /// Keeps at most this many bytes of standard output, and as many of standard error.
    #[must_use]
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.limits.output = bytes;
        self
    }

    /// Runs the program to its end. When this returns, nothing that stayed in the
    /// program's process group is running any more.
    pub fn run(&self) -> Result<HelperOutcome, HelperError> {
        let file = self.find()?;
        let child = self.start(&file)?;
        let process = Pid::from_child(&child).as_raw_nonzero().get();
        let program = || self.program.clone();
        match watch::to_the_end(child, self.limits) {
            Ok(End::Exited(status, outcome)) if status.success() => Ok(outcome),
            Ok(End::Exited(status, outcome)) => {
                let outcome = Box::new(outcome);
                Err(HelperError::Failed { program: program(), ending: Ending::from(status), outcome })
            }
            Ok(End::Stopped) => Err(HelperError::TimedOut { program: program(), limit: self.limits.time }),
            Ok(End::Stuck) => Err(HelperError::Stuck { program: program(), limit: self.limits.time, process }),
            Err(watch::Lost::Pidfd(source)) => Err(HelperError::Pidfd { program: program(), source }),
            Err(watch::Lost::Watch(source)) => Err(HelperError::Watch { program: program(), source }),
        }
    }

    fn find(&self) -> Result<PathBuf, HelperError> {
        let program = Path::new(&self.program);
        if find::is_path(program) {
            return Ok(program.to_owned());
        }
        // As in a child's environment, the last one of a name counts.
        let path = self.environment.iter().rev().find(|(name, _)| name == "PATH");
        path.and_then(|(_, folders)| find::find_program(program, folders))
            .ok_or_else(|| HelperError::NotFound { program: self.program.clone() })
    }

    #[expect(unsafe_code, reason = "only between fork and exec can a child leave the parent's session")]
    fn start(&self, file: &Path) -> Result<Child, HelperError> {
        let mut command = command(file);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let parent = getpid();
        // SAFETY: the closure runs in the forked child of a process that may have other
        // threads. It makes system calls only: it takes no lock, allocates nothing and
        // its errors are plain numbers, so it cannot meet a lock held by a thread that
        // does not exist in the child.
        unsafe { command.pre_exec(move || detach(parent)) };
        command.spawn().map_err(|source| self.start_error(file, source))
    }

    fn start_error(&self, file: &Path, source: io::Error) -> HelperError {
        let program = self.program.clone();
        match source.kind() {
            io::ErrorKind::NotFound if !file.exists() => HelperError::NotFound { program },
            // ENOENT for a file that is there speaks of the interpreter it names.
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => HelperError::NotExecutable { program, source },
            _ if source.raw_os_error() == Some(libc::ENOEXEC) => HelperError::NotExecutable { program, source },
            _ => HelperError::Start { program, source },
        }
    }
}

/// In the child: a session and process group of its own, no terminal, no stray
/// descriptor, and death if the thread that waits for it dies.
fn detach(parent: Pid) -> io::Result<()> {
    setsid()?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(parent) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    close_inherited_on_exec();
    Ok(())
}

/// Descriptors that this process opens close on exec by themselves; those it was
/// started with may not. Kernels before 5.11 cannot do this, which costs no more
/// than that.
#[expect(unsafe_code, reason = "neither rustix nor std has close_range")]
fn close_inherited_on_exec() {
    const FIRST_AFTER_STANDARD_ERROR: libc::c_uint = 3;
    // SAFETY: only sets the close-on-exec flag; no descriptor changes its meaning, and
    // no memory is passed.
    unsafe {
        libc::syscall(libc::SYS_close_range, FIRST_AFTER_STANDARD_ERROR, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
    }
}
