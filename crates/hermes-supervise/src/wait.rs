//! Waiting for a file to change without asking again and again.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

const AFTERMATH: Duration = Duration::from_millis(250);

/// Folders being watched.
#[derive(Debug)]
pub(crate) struct Watch {
    events: OwnedFd,
}

impl Watch {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { events: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)? })
    }

    /// Adds a folder or file; what happens to it from now on is an event.
    pub(crate) fn add(&self, path: &Path, flags: WatchFlags) -> io::Result<()> {
        inotify::add_watch(&self.events, path, flags)?;
        Ok(())
    }

    /// Returns when `reached` says so. It is asked now and after every event.
    pub(crate) fn until(&self, limit: Duration, mut reached: impl FnMut() -> bool) -> io::Result<bool> {
        let deadline = Instant::now() + limit;
        loop {
            if reached() {
                return Ok(true);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            // A lock is let go a moment after the close that announces it; that moment has no event.
            self.wait(left.min(AFTERMATH))?;
        }
    }

    /// Returns after the next events, or when the time is over.
    fn wait(&self, limit: Duration) -> io::Result<()> {
        let timeout = Timespec::try_from(limit).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut descriptors = [PollFd::new(&self.events, PollFlags::IN)];
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.drain()
    }

    pub(crate) fn descriptor(&self) -> &OwnedFd {
        &self.events
    }

    /// Takes what has happened; what it was is seen by looking.
    pub(crate) fn drain(&self) -> io::Result<()> {
        let mut buffer = [0_u8; 4096];
        loop {
            match rustix::io::read(&self.events, &mut buffer) {
                Ok(0) | Err(Errno::AGAIN) => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
