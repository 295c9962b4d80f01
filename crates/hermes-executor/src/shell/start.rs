//! Starts a shell under a warden.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hermes_sandbox::process::find_program;
use hermes_sandbox::warden::{GRACE, Launch, LaunchError, Passed, Warden};
use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};

use super::script::{SCRIPT_DESCRIPTOR, STATE_DESCRIPTOR, loader};
use crate::state::Variables;

/// The kernel takes no argument of 128 KiB; longer scripts are read from memory.
const LONGEST_ARGUMENT: usize = 96 * 1024;
/// Looked at before PATH, which the session's own commands may change.
const USUAL_PLACES: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// Why there is no shell.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("bash is neither in {} nor in PATH", USUAL_PLACES.join(", "))]
    NoShell,
    #[error("no memory for the script: {0}")]
    Script(io::Error),
    #[error("the script of a shell that waits for its command is too long")]
    LongAndWaiting,
    #[error("{what} contains a NUL byte")]
    Nul { what: String },
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// What a shell gets.
#[derive(Debug)]
pub(crate) struct Shell<'a> {
    pub(crate) script: Vec<u8>,
    pub(crate) environment: &'a Variables,
    pub(crate) directory: BorrowedFd<'a>,
    pub(crate) input: BorrowedFd<'a>,
    /// Standard output and standard error.
    pub(crate) output: BorrowedFd<'a>,
    pub(crate) state: Option<BorrowedFd<'a>>,
    /// Where its command comes from, if it is told later.
    pub(crate) command: Option<BorrowedFd<'a>>,
    /// Whether `input` is a terminal that becomes the shell's own.
    pub(crate) takes_terminal: bool,
    /// Whether its process number is wanted.
    pub(crate) tells_start: bool,
}

impl Shell<'_> {
    /// Starts it. Must be called on the main thread: see [`Launch::start`].
    pub(crate) fn start(self) -> Result<Warden, StartError> {
        let program = find_shell(self.environment).ok_or(StartError::NoShell)?;
        let (argument, memory) = place_script(self.script)?;
        let script = match (&memory, self.command) {
            (Some(_), Some(_)) => return Err(StartError::LongAndWaiting),
            (memory, command) => memory.as_ref().map(AsFd::as_fd).or(command),
        };
        let mut passed = vec![
            Passed { source: self.input, target: 0 },
            Passed { source: self.output, target: 1 },
            Passed { source: self.output, target: 2 },
        ];
        passed.extend(self.state.map(|source| Passed { source, target: STATE_DESCRIPTOR }));
        passed.extend(script.map(|source| Passed { source, target: SCRIPT_DESCRIPTOR }));
        let launch = Launch {
            program: text(program.as_os_str().as_bytes().to_vec(), "the path of bash")?,
            arguments: arguments(argument)?,
            environment: environment(self.environment)?,
            passed,
            directory: self.directory,
            takes_terminal: self.takes_terminal,
            tells_start: self.tells_start,
            grace: GRACE,
        };
        Ok(launch.start()?)
    }
}

fn find_shell(environment: &Variables) -> Option<PathBuf> {
    let usual = USUAL_PLACES.iter().find_map(|place| find_program(place, OsStr::new("")));
    usual.or_else(|| find_program("bash", OsStr::from_bytes(environment.get(b"PATH".as_slice())?)))
}

/// The script as an argument or, if it is too long for one, in memory that a short one reads.
fn place_script(script: Vec<u8>) -> Result<(Vec<u8>, Option<OwnedFd>), StartError> {
    if script.len() < LONGEST_ARGUMENT {
        return Ok((script, None));
    }
    let memory = write_memory(&script).map_err(StartError::Script)?;
    Ok((loader().into_bytes(), Some(memory)))
}

fn write_memory(script: &[u8]) -> io::Result<OwnedFd> {
    let memory = memfd_create(c"hermes-script", MemfdFlags::CLOEXEC)?;
    let mut rest = script;
    while !rest.is_empty() {
        let written = rustix::io::retry_on_intr(|| rustix::io::write(&memory, rest))?;
        rest = rest.get(written..).unwrap_or_default();
    }
    seek(&memory, SeekFrom::Start(0))?;
    Ok(memory)
}

fn arguments(script: Vec<u8>) -> Result<Vec<CString>, StartError> {
    let fixed = [c"bash", c"--norc", c"--noprofile", c"-c"].map(CString::from);
    let mut arguments = Vec::from(fixed);
    arguments.push(text(script, "the script")?);
    arguments.push(CString::from(c"bash"));
    Ok(arguments)
}

/// `NAME=value` each. What would make our own shell read a file first goes another way.
fn environment(variables: &Variables) -> Result<Vec<CString>, StartError> {
    let passed = variables.iter().filter(|(name, _)| name.as_slice() != b"BASH_ENV" && !name.is_empty());
    passed
        .map(|(name, value)| {
            let what = || format!("variable {}", String::from_utf8_lossy(name));
            CString::new([name.as_slice(), b"=", value].concat()).map_err(|_| StartError::Nul { what: what() })
        })
        .collect()
}

fn text(bytes: Vec<u8>, what: &str) -> Result<CString, StartError> {
    CString::new(bytes).map_err(|_| StartError::Nul { what: what.to_owned() })
}

/// What every command without input reads: the end of it.
pub(crate) fn open_nothing() -> io::Result<OwnedFd> {
    use rustix::fs::{Mode, OFlags, open};
    let null = open(Path::new("/dev/null"), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    // A sandbox may have no /dev: a pipe nobody writes to ends as well.
    null.or_else(|_| rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map(|(reader, _)| reader))
        .map_err(Into::into)
}
