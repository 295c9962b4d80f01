//! No gateway may be at work in a profile that is renamed or removed.
//!
//! A running gateway holds an flock on `gateway.lock` in its home. The guard takes
//! the same lock and keeps it until the change is done, so that none can start in
//! between either.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use hermes_proto::ProfileName;
use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use super::layout::PRIVATE_FILE;
use super::{ProfileError, owner};
use crate::{HomeName, HomeRoot};

const LOCK_FILE: &str = "gateway.lock";

/// Proof that no gateway runs in a profile, as long as it is kept.
#[derive(Debug)]
#[must_use = "the gateway may start as soon as this is dropped"]
pub(super) struct GatewayStopped {
    _lock: Option<File>,
}

/// An error if a gateway of the profile runs right now. Nothing is held or made: it
/// spares a person a question whose answer would not help.
pub fn refuse_while_running(root: &HomeRoot, name: &ProfileName) -> Result<(), ProfileError> {
    if is_running(&root.path_of(&HomeName::from(name.clone()))) {
        return Err(ProfileError::GatewayRuns { name: name.clone() });
    }
    Ok(())
}

/// Whether a gateway runs in this home, as far as can be seen.
pub(super) fn is_running(home: &Path) -> bool {
    let Ok(lock) = File::open(home.join(LOCK_FILE)) else { return false };
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
}

/// Keeps gateways of the profile from running.
pub(super) fn hold(root: &HomeRoot, name: &ProfileName) -> Result<GatewayStopped, ProfileError> {
    let home = root.path_of(&HomeName::from(name.clone()));
    let path = home.join(LOCK_FILE);
    let lock = open(&home, &path)?;
    if let Some(lock) = &lock {
        match rustix::fs::flock(lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(ProfileError::GatewayRuns { name: name.clone() }),
            Err(error) => return Err(ProfileError::at("lock", &path)(error.into())),
        }
    }
    Ok(GatewayStopped { _lock: lock })
}

/// The lock file, made if the home is a folder of its own; what a link leads to
/// is not ours to add files to.
fn open(home: &Path, path: &Path) -> Result<Option<File>, ProfileError> {
    let mut options = OpenOptions::new();
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.read(true).write(true).mode(PRIVATE_FILE).custom_flags(flags.bits().cast_signed());
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened.map(Some).map_err(ProfileError::at("open", path)),
    }
    if !home.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(None);
    }
    // Not exclusively: a gateway that makes it at this moment is found by the lock.
    let file = options.create(true).open(path).map_err(ProfileError::at("create", path))?;
    owner::give(path, home)?;
    Ok(Some(file))
}
