//! Watches a started helper until it has ended or has been killed.
//!
//! Waiting for the pipes to close would wait for whoever inherited them, waiting for
//! the process alone would block a program that fills its pipe, and asking again and
//! again would be polling. One `poll` over a pidfd and both pipes does all three.
//!
//! The process's number stays ours until it is reaped, and reaping is the last thing
//! that happens here, so signals to its group cannot reach a stranger.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::HelperOutcome;
use super::capture::Capture;

/// From the polite signal to the one that cannot be ignored.
const GRACE: Duration = Duration::from_millis(300);
/// From that one to giving up: a process that survives it is stuck in the kernel.
const KILL_TAKES: Duration = Duration::from_secs(1);

/// What a helper may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// Bytes of each output.
    pub(super) output: usize,
}

/// How the watching ended.
#[derive(Debug)]
pub(super) enum End {
    /// By itself, within its time.
    Exited(ExitStatus, HelperOutcome),
    /// Its time was over and it was killed.
    Stopped,
    /// Its time was over and it could not be killed.
    Stuck,
}

/// The kernel did not let us watch. The process has been killed.
#[derive(Debug)]
pub(super) enum Lost {
    Pidfd(io::Error),
    Watch(io::Error),
}

/// Waits for the process to end, at most until its time is over.
pub(super) fn to_the_end(child: Child, limits: Limits) -> Result<End, Lost> {
    // Far enough to mean never, near enough for the clock's arithmetic.
    let longest = Duration::from_secs(365 * 24 * 60 * 60);
    let deadline = Instant::now() + limits.time.min(longest);
    let mut watched = Watched::new(child, limits.output)?;
    match watched.wait_until(deadline)? {
        Event::Ended => {
            let (status, outcome) = watched.collect()?;
            Ok(End::Exited(status, outcome))
        }
        Event::TimeOver => watched.stop(),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Event {
    Ended,
    TimeOver,
}

/// A process that has not been reaped, which keeps its group's number ours.
#[derive(Debug)]
struct Group {
    child: Child,
    id: Pid,
    settled: bool,
}

#[derive(Debug)]
struct Watched {
    group: Group,
    pidfd: OwnedFd,
    standard_output: Capture,
    standard_error: Capture,
}

impl Watched {
    fn new(mut child: Child, output_limit: usize) -> Result<Self, Lost> {
        let pipes = (child.stdout.take(), child.stderr.take());
        let group = Group { id: Pid::from_child(&child), child, settled: false };
        let pidfd = pidfd_open(group.id, PidfdFlags::empty()).map_err(|error| Lost::Pidfd(error.into()))?;
        let (Some(standard_output), Some(standard_error)) = pipes else {
            return Err(Lost::Watch(io::Error::from(io::ErrorKind::BrokenPipe)));
        };
        Ok(Self {
            group,
            pidfd,
            standard_output: Capture::new(standard_output.into(), output_limit).map_err(Lost::Watch)?,
            standard_error: Capture::new(standard_error.into(), output_limit).map_err(Lost::Watch)?,
        })
    }

    /// Reads output until the process ends or the deadline comes.
    fn wait_until(&mut self, deadline: Instant) -> Result<Event, Lost> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let ready = self.poll(left).map_err(Lost::Watch)?;
            if ready.process {
                return Ok(Event::Ended);
            }
            if ready.standard_output {
                self.standard_output.take_chunk().map_err(Lost::Watch)?;
            }
            if ready.standard_error {
                self.standard_error.take_chunk().map_err(Lost::Watch)?;
            }
            if left.is_zero() {
                return Ok(Event::TimeOver);
            }
        }
    }

    fn poll(&self, left: Duration) -> io::Result<Ready> {
        let timeout = Timespec::try_from(left).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let watched = |descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN);
        let pidfd = self.pidfd.as_fd();
        let (output, error) = (self.standard_output.pipe(), self.standard_error.pipe());
        // The pidfd stands in for a pipe that is closed, to keep the places.
        let mut descriptors = [watched(pidfd), watched(output.unwrap_or(pidfd)), watched(error.unwrap_or(pidfd))];
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [process, output_ready, error_ready] = descriptors.map(|one| !one.revents().is_empty());
        Ok(Ready {
            process,
            standard_output: output_ready && output.is_some(),
            standard_error: error_ready && error.is_some(),
        })
    }

    /// After the process ended: its children go too, its last words are read.
    fn collect(mut self) -> Result<(ExitStatus, HelperOutcome), Lost> {
        self.group.signal(Signal::KILL);
        self.standard_output.take_rest().map_err(Lost::Watch)?;
        self.standard_error.take_rest().map_err(Lost::Watch)?;
        let status = self.group.reap().map_err(Lost::Watch)?;
        let outcome = HelperOutcome {
            standard_output: self.standard_output.finish(),
            standard_error: self.standard_error.finish(),
        };
        Ok((status, outcome))
    }

    /// The time is over: asks the whole group to end, then makes it.
    fn stop(mut self) -> Result<End, Lost> {
        self.group.signal(Signal::TERM);
        if self.wait_until(Instant::now() + GRACE)? == Event::TimeOver {
            self.group.signal(Signal::KILL);
            if self.wait_until(Instant::now() + KILL_TAKES)? == Event::TimeOver {
                self.group.settled = true;
                return Ok(End::Stuck);
            }
        }
        self.collect()?;
        Ok(End::Stopped)
    }
}

/// What `poll` found something on.
#[derive(Debug)]
struct Ready {
    process: bool,
    standard_output: bool,
    standard_error: bool,
}

impl Group {
    /// Whether it arrived is seen by whether the process ends, not here.
    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.id, signal);
    }

    fn reap(&mut self) -> io::Result<ExitStatus> {
        self.settled = true;
        self.child.wait()
    }
}

impl Drop for Group {
    /// On every way out that did not reap: nothing is left running.
    fn drop(&mut self) {
        if !self.settled {
            self.signal(Signal::KILL);
            let _ = self.reap();
        }
    }
}
