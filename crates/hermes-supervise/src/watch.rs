//! The one service that looks after the others: profiles that come and go, and the process that
//! looks after the main program.
//!
//! Without it a profile that somebody copied into the volume would wait for the next boot, and a
//! container whose main program lost its keeper would run on with nobody in it.

use std::io;
use std::path::Path;

use hermes_home::{HomeName, HomeRoot, profiles};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::WatchFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::S6;
use crate::boot::lease::Lease;
use crate::boot::log::BootLog;
use crate::reconcile;
use crate::wait::Watch;

/// Why the watching ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Over {
    /// The keeper of the main program is gone.
    KeeperGone,
}

/// Watches until the keeper of the main program is gone.
pub fn watch(s6: &S6, root: &HomeRoot, lease: &Lease, log: &BootLog) -> io::Result<Over> {
    let keeper = std::fs::read_to_string(s6.places().main_process())?;
    let keeper = keeper.trim().parse().ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
    let keeper = match pidfd_open(keeper, PidfdFlags::empty()) {
        Ok(keeper) => keeper,
        Err(Errno::SRCH) => return Ok(Over::KeeperGone),
        Err(error) => return Err(error.into()),
    };
    let watch = Watch::new()?;
    loop {
        // First the watches, then the look: what comes in between is an event.
        look_at(&watch, root)?;
        for outcome in reconcile::changes(s6, root, lease) {
            log.note(&outcome.to_string());
        }
        let mut descriptors = [PollFd::new(&keeper, PollFlags::IN), PollFd::new(watch.descriptor(), PollFlags::IN)];
        match poll(&mut descriptors, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !descriptors[0].revents().is_empty() {
            return Ok(Over::KeeperGone);
        }
        watch.drain()?;
    }
}

/// Watches the folder of profiles, and in it every folder that may yet become one.
fn look_at(watch: &Watch, root: &HomeRoot) -> io::Result<()> {
    let folder = root.profiles_path();
    let entries = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MOVED_FROM | WatchFlags::DELETE;
    match watch.add(&folder, entries) {
        // Its parent tells when it comes.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return add(watch, root.path(), entries),
        outcome => outcome?,
    }
    let listing = profiles::list(root).map_err(io::Error::other)?;
    for home in listing.profiles.into_iter().map(HomeName::from) {
        if !reconcile::has_soul(root, &home) {
            add(watch, &root.path_of(&home), WatchFlags::CREATE | WatchFlags::MOVED_TO)?;
        }
    }
    Ok(())
}

/// A folder that went in the meantime is no error.
fn add(watch: &Watch, folder: &Path, flags: WatchFlags) -> io::Result<()> {
    match watch.add(folder, flags) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}
