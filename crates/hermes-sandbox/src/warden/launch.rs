//! The executor's side: what is to be started is written down, then a warden is made.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, getpid};

use super::guard::guard_main;
use super::orders::{Memory, Orders};
use super::raw::clone_onto;
use super::signals::Blocked;

/// Passed descriptors have numbers up to this one, and there are at most eight.
pub(super) const HIGHEST_PASSED: RawFd = 255;
pub(super) const MOST_PASSED: usize = 8;

/// What a command gets from the polite signal to the one that cannot be ignored.
pub const GRACE: Duration = Duration::from_secs(1);

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
    /// From the polite signal to the one that cannot be ignored.
    pub grace: Duration,
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
    /// What it works with. To be released when it has been reaped.
    pub memory: Memory,
}

impl Launch<'_> {
    /// Makes the warden, which starts the program. Must be called from the thread that
    /// lives as long as the process: its end is what the warden takes for the executor's.
    pub fn start(self) -> Result<Warden, LaunchError> {
        if let Some(wrong) = self.first_impossible() {
            return Err(LaunchError::Passed { target: wrong });
        }
        let (reports, report) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| LaunchError::Pipe(error.into()))?;
        let mut memory = Memory::new(Orders::new(self, report.as_fd(), getpid()));
        match make_warden(&mut memory) {
            Ok((process, pidfd)) => Ok(Warden { process, pidfd, reports, memory }),
            Err(error) => {
                memory.release();
                Err(LaunchError::Fork(error))
            }
        }
    }

    fn first_impossible(&self) -> Option<RawFd> {
        let beyond = self.passed.get(MOST_PASSED).map(|passed| passed.target);
        let outside =
            self.passed.iter().map(|passed| passed.target).find(|target| !(0..=HIGHEST_PASSED).contains(target));
        beyond.or(outside)
    }
}

#[expect(unsafe_code, reason = "creating a process by hand")]
fn make_warden(memory: &mut Memory) -> io::Result<(Pid, OwnedFd)> {
    const FLAGS: i32 = libc::CLONE_VM | libc::CLONE_PIDFD | libc::SIGCHLD;
    let mut pidfd: RawFd = -1;
    let _blocked = Blocked::new();
    // SAFETY: stack and orders are in `memory`, which is freed only after the warden was reaped; the
    // warden begins in `guard_main`, which makes system calls only and never returns.
    let made = unsafe { clone_onto(memory.stack(), FLAGS, &raw mut pidfd, guard_main, memory.orders()) };
    let process = made.and_then(|process| Pid::from_raw(process).ok_or(libc::ESRCH));
    let process = process.map_err(io::Error::from_raw_os_error)?;
    // SAFETY: the kernel made this descriptor for us and nobody else knows it.
    Ok((process, unsafe { OwnedFd::from_raw_fd(pidfd) }))
}
