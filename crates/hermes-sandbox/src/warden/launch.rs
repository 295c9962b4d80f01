//! The executor's side: what is to be started is written down, then forked.

use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, getpid};

use super::guard::{Orders, guard};
use super::shell::last_error;
use super::signals::Blocked;

/// Passed descriptors have numbers up to this one, and there are at most eight.
pub(super) const HIGHEST_PASSED: RawFd = 255;
const MOST_PASSED: usize = 8;

/// A descriptor that the shell gets under a fixed number.
#[derive(Debug, Clone, Copy)]
pub struct Passed<'a> {
    pub source: BorrowedFd<'a>,
    pub target: RawFd,
}

/// A program to be run under a warden. Nothing happens before [`Launch::start`].
#[derive(Debug)]
pub struct Launch<'a> {
    pub program: CString,
    /// The program's own name first.
    pub arguments: Vec<CString>,
    /// `NAME=value` each; nothing else is in the program's environment.
    pub environment: Vec<CString>,
    /// Standard input, output and error among them.
    pub passed: Vec<Passed<'a>>,
    pub directory: BorrowedFd<'a>,
    /// Whether standard input is a terminal that becomes the program's own.
    pub takes_terminal: bool,
    /// Whether the program's number is reported; who does not need it is not woken for it.
    pub tells_start: bool,
}

/// Why there is no warden.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("descriptor {target} cannot be passed on: at most {MOST_PASSED}, numbered up to {HIGHEST_PASSED}")]
    Passed { target: RawFd },
    #[error("no pipe for the warden's reports: {0}")]
    Pipe(io::Error),
    #[error("no process for the warden: {0}")]
    Fork(io::Error),
}

/// A running warden. Its end is what a pidfd tells; until it is reaped its number is ours.
#[derive(Debug)]
pub struct Warden {
    pub process: Pid,
    pub pidfd: OwnedFd,
    /// Where its [`super::Report`]s come from; at its end when the warden is gone.
    pub reports: OwnedFd,
}

impl Launch<'_> {
    /// Forks the warden, which starts the program. Must be called from the thread that
    /// lives as long as the process: its end is what the warden takes for the executor's.
    pub fn start(&self) -> Result<Warden, LaunchError> {
        if let Some(wrong) = self.first_impossible() {
            return Err(LaunchError::Passed { target: wrong });
        }
        let (reports, report) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| LaunchError::Pipe(error.into()))?;
        let arguments = pointers(&self.arguments);
        let environment = pointers(&self.environment);
        let orders = Orders {
            program: &self.program,
            arguments: &arguments,
            environment: &environment,
            passed: &self.passed,
            directory: self.directory,
            takes_terminal: self.takes_terminal,
            tells_start: self.tells_start,
            report: report.as_fd(),
            report_copy: Cell::new(-1),
            executor: getpid(),
        };
        let (process, pidfd) = fork_guard(&orders).map_err(LaunchError::Fork)?;
        Ok(Warden { process, pidfd, reports })
    }

    fn first_impossible(&self) -> Option<RawFd> {
        let beyond = self.passed.get(MOST_PASSED).map(|passed| passed.target);
        let outside =
            self.passed.iter().map(|passed| passed.target).find(|target| !(0..=HIGHEST_PASSED).contains(target));
        beyond.or(outside)
    }
}

#[expect(unsafe_code, reason = "creating a process by hand")]
fn fork_guard(orders: &Orders<'_>) -> io::Result<(Pid, OwnedFd)> {
    let flags = libc::c_long::from(libc::CLONE_PIDFD | libc::SIGCHLD);
    let mut pidfd: RawFd = -1;
    let _blocked = Blocked::new();
    // SAFETY: the only flag asks for a descriptor, which is written to `pidfd`; without a
    // stack the child is a copy of this process, as fork makes it. It makes system calls
    // only and never returns: `guard` is written for that.
    let child = unsafe { libc::syscall(libc::SYS_clone, flags, 0_usize, &raw mut pidfd, 0_usize, 0_usize) };
    if child == 0 {
        guard(orders);
    }
    let child = i32::try_from(child).ok().filter(|child| *child > 0).and_then(Pid::from_raw);
    let Some(child) = child else { return Err(io::Error::from_raw_os_error(last_error())) };
    // SAFETY: the kernel made this descriptor for us and nobody else knows it.
    Ok((child, unsafe { OwnedFd::from_raw_fd(pidfd) }))
}

/// As C wants a list: pointers that live as long as the strings, and a null.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}
