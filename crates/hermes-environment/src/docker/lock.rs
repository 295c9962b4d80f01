//! Who may make or end a task's container, and who is using it: locks in the task's folder.
//!
//! Two processes that look for the same container at once would both find none and make two;
//! one that ends its session would stop a container under another's command. The kernel frees a
//! lock when its holder dies, however that happens, so a killed process blocks nobody.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hermes_home::files::{self, FileError};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::{Errno, retry_on_intr};

use super::error::DockerError;

const NAME: &str = "acquire.lock";
const LEASES: &str = "leases";
/// How often the folder may be removed under us.
const ATTEMPTS: usize = 1000;

/// Held while a container is looked for, made or ended.
#[derive(Debug)]
pub(super) struct FolderLock(File);

impl FolderLock {
    /// Makes the folder if needed, and waits for the lock. Every holder's work is bounded.
    pub(super) fn take(folder: &Path) -> Result<Self, DockerError> {
        let path = folder.join(NAME);
        let failed = |source: io::Error| DockerError::Lock { path: path.clone(), source };
        let mut attempts = 0..ATTEMPTS;
        // Whoever held it before may have removed the folder, at any moment up to the lock.
        let mut is_worth_another = |error: io::ErrorKind| error == io::ErrorKind::NotFound && attempts.next().is_some();
        loop {
            let file = match files::create_private_dir(folder).map(|()| open(&path)) {
                Ok(Ok(file)) => file,
                Ok(Err(error)) if is_worth_another(error.kind()) => continue,
                Ok(Err(error)) => return Err(failed(error)),
                Err(FileError::Io { source, .. }) if is_worth_another(source.kind()) => continue,
                Err(error) => return Err(error.into()),
            };
            retry_on_intr(|| flock(&file, FlockOperation::LockExclusive)).map_err(|error| failed(error.into()))?;
            if is_still(&file, &path) {
                return Ok(Self(file));
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // Closing would do, were there no child between its fork and its exec.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// Says that a container is in use. Taken and given back under the folder's lock.
#[derive(Debug)]
pub(super) struct Lease {
    file: File,
    path: PathBuf,
}

/// Who else uses a container.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Others {
    None,
    Some,
}

impl Lease {
    pub(super) fn take(folder: &Path, container: &str) -> Result<Self, DockerError> {
        let path = lease_path(folder, container);
        let failed = |source: io::Error| DockerError::Lock { path: path.clone(), source };
        files::create_private_dir(&folder.join(LEASES))?;
        let file = open(&path).map_err(failed)?;
        retry_on_intr(|| flock(&file, FlockOperation::LockShared)).map_err(|error| failed(error.into()))?;
        touch(&file);
        Ok(Self { file, path })
    }

    /// Whether somebody else has one on the same container. Does not wait.
    pub(super) fn others(&self) -> Others {
        match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Others::None,
            Err(_) => Others::Some,
        }
    }

    /// Gives it back for a container that is no more.
    pub(super) fn remove(self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        touch(&self.file);
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Since when nobody has used a container; `None` while somebody does, or when none of this
/// folder's processes ever did.
pub(super) fn unused_since(folder: &Path, container: &str) -> Option<SystemTime> {
    let file = File::open(lease_path(folder, container)).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => file.metadata().and_then(|metadata| metadata.modified()).ok(),
        Err(Errno::WOULDBLOCK) | Err(_) => None,
    }
}

/// Removes a folder that only ever held locks and a record. Called under its lock.
pub(super) fn remove_folder(folder: &Path) {
    let _ = std::fs::remove_dir(folder.join(LEASES));
    // Somebody else's lease is in there: the folder stays.
    if folder.join(LEASES).exists() {
        return;
    }
    let _ = std::fs::remove_file(folder.join(NAME));
    let _ = std::fs::remove_dir(folder);
}

/// Removes the leases on a container that is no more, in all folders of a home.
pub(super) fn forget(sandboxes: &Path, container: &str) {
    let Ok(folders) = std::fs::read_dir(sandboxes) else { return };
    for folder in folders.flatten().map(|entry| entry.path()) {
        let path = lease_path(&folder, container);
        if path.exists()
            && let Ok(_lock) = FolderLock::take(&folder)
        {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Short and full forms of an id name the same lease.
fn lease_path(folder: &Path, container: &str) -> PathBuf {
    let short: String = container.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    folder.join(LEASES).join(short)
}

fn touch(file: &File) {
    // Only tells how long ago; a file system that refuses costs an early or late sweep.
    let _ = file.set_modified(SystemTime::now());
}

fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path)
}

fn is_still(file: &File, path: &Path) -> bool {
    let (Ok(held), Ok(named)) = (file.metadata(), path.symlink_metadata()) else { return false };
    (held.dev(), held.ino()) == (named.dev(), named.ino())
}

#[cfg(test)]
mod tests {
    use super::{FolderLock, Lease, Others, remove_folder, unused_since};

    #[test]
    fn a_lease_knows_of_others_and_its_end_is_dated() {
        let folder = tempfile::tempdir().unwrap();
        let task = folder.path().join("task");
        let _lock = FolderLock::take(&task).unwrap();
        let long = "0123456789abcdef0123";
        let (one, other) = (Lease::take(&task, long).unwrap(), Lease::take(&task, &long[..12]).unwrap());
        assert_eq!(one.others(), Others::Some);
        assert_eq!(unused_since(&task, long), None);
        drop(other);
        assert_eq!(one.others(), Others::None);
        drop(one);
        assert!(unused_since(&task, long).is_some());
        assert_eq!(unused_since(&task, "ffff"), None, "never used here");
    }

    #[test]
    fn a_folder_can_go_while_others_wait_for_its_lock() {
        let folder = tempfile::tempdir().unwrap();
        let task = folder.path().join("task");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _lock = FolderLock::take(&task).unwrap();
                        let lease = Lease::take(&task, "abc").unwrap();
                        assert_eq!(lease.others(), Others::None);
                        lease.remove();
                        remove_folder(&task);
                    }
                });
            }
        });
        assert!(!task.exists());
    }
}
