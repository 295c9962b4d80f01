//! What a job reads from and writes to: pipes, or a pseudo-terminal.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The two sides of a job's input and output.
#[derive(Debug)]
pub(super) struct Ends {
    pub(super) ours: Ours,
    pub(super) theirs: Theirs,
}

/// What the executor holds.
#[derive(Debug)]
pub(super) struct Ours {
    pub(super) output: OwnedFd,
    pub(super) input: OwnedFd,
}

/// What the job gets.
#[derive(Debug)]
pub(super) enum Theirs {
    Pipes { input: OwnedFd, output: OwnedFd },
    Terminal(OwnedFd),
}

impl Theirs {
    pub(super) fn input(&self) -> BorrowedFd<'_> {
        match self {
            Self::Pipes { input, .. } => input.as_fd(),
            Self::Terminal(terminal) => terminal.as_fd(),
        }
    }

    pub(super) fn output(&self) -> BorrowedFd<'_> {
        match self {
            Self::Pipes { output, .. } => output.as_fd(),
            Self::Terminal(terminal) => terminal.as_fd(),
        }
    }

    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }
}

pub(super) fn pipes() -> io::Result<Ends> {
    let (their_input, input) = pipe_with(PipeFlags::CLOEXEC)?;
    let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok(Ends { ours: Ours { output, input }, theirs: Theirs::Pipes { input: their_input, output: their_output } })
}

/// A pseudo-terminal of this size. The other side is asked for by descriptor, not by
/// path: a sandbox may show other paths.
pub(super) fn terminal((rows, columns): (u16, u16)) -> io::Result<Ends> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let output = openpt(flags)?;
    grantpt(&output)?;
    unlockpt(&output)?;
    let theirs = ioctl_tiocgptpeer(&output, flags)?;
    tcsetwinsize(&output, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?;
    let input = fcntl_dupfd_cloexec(&output, 0)?;
    Ok(Ends { ours: Ours { output, input }, theirs: Theirs::Terminal(theirs) })
}
