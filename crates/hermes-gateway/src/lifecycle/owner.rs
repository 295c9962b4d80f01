//! One gateway per home: an flock on `gateway.lock` decides, `gateway.pid` is for people and scripts.
//!
//! The kernel frees the lock when its holder dies, however that happens. A pid file alone would keep a home closed after a crash, or open
//! it twice.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::{Errno, retry_on_intr};

use super::{LifecycleError, ProcessRecord};

const LOCK: &str = "gateway.lock";
const PID: &str = "gateway.pid";
const PRIVATE: u32 = 0o600;
/// Others look at the lock for a moment; a gateway holds it for good.
const A_MOMENT: Duration = Duration::from_millis(500);
/// A record that is longer is none.
const LONGEST_RECORD: u64 = 64 * 1024;

/// This process is the gateway of a home, as long as it is kept.
#[derive(Debug)]
#[must_use = "the home is free again as soon as this is dropped"]
pub struct Ownership {
    _lock: File,
    pid_path: PathBuf,
    record: ProcessRecord,
}

impl Ownership {
    /// Takes the home, or names its owner.
    pub fn take(home: &Path) -> Result<Self, LifecycleError> {
        Self::take_within(home, A_MOMENT)
    }

    /// The same, waiting for the owner to leave.
    pub(super) fn take_within(home: &Path, patience: Duration) -> Result<Self, LifecycleError> {
        let path = home.join(LOCK);
        let Some(mut lock) = locked(open(&path)?, &path, patience)? else {
            return Err(match read_record(&path) {
                Some(owner) => LifecycleError::Running { home: home.to_owned(), owner: Box::new(owner) },
                None => LifecycleError::LockedByStranger { path },
            });
        };
        let record = ProcessRecord::own(home)?;
        let text = serde_json::to_vec(&record).map_err(|error| io::Error::other(error.to_string()));
        let write = |lock: &mut File, text: &[u8]| {
            lock.set_len(0)?;
            lock.rewind()?;
            lock.write_all(text)
        };
        let text = text.map_err(LifecycleError::file("write", &path))?;
        write(&mut lock, &text).map_err(LifecycleError::file("write", &path))?;
        let pid_path = home.join(PID);
        write_pid(&pid_path, &text)?;
        Ok(Self { _lock: lock, pid_path, record })
    }

    pub fn record(&self) -> &ProcessRecord {
        &self.record
    }
}

impl Drop for Ownership {
    fn drop(&mut self) {
        // Only its own: a gateway that took over has written another.
        if read_record(&self.pid_path).as_ref() == Some(&self.record) {
            let _ = std::fs::remove_file(&self.pid_path);
        }
    }
}

/// The gateway that serves this home now, if one does.
pub fn running(home: &Path) -> Option<ProcessRecord> {
    let lock = File::open(home.join(LOCK)).ok()?;
    let is_held = flock(&lock, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK);
    if !is_held {
        return None;
    }
    read_record(&home.join(LOCK)).filter(ProcessRecord::is_alive)
}

fn open(path: &Path) -> Result<File, LifecycleError> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(PRIVATE).custom_flags(flags);
    options.open(path).map_err(LifecycleError::file("open", path))
}

/// The file, locked, unless somebody keeps it for longer than this. Nothing but a signal ends a waiting `flock`, so the wait has a thread
/// that can be left behind.
fn locked(file: File, path: &Path, patience: Duration) -> Result<Option<File>, LifecycleError> {
    match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => return Ok(Some(file)),
        Err(Errno::WOULDBLOCK) => {}
        Err(error) => return Err(LifecycleError::file("lock", path)(error.into())),
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let wait = move || {
        let locked = retry_on_intr(|| flock(&file, FlockOperation::LockExclusive));
        // If nobody waits any more, the file is closed and free again.
        let _ = sender.send(locked.map(|()| file));
    };
    std::thread::Builder::new()
        .name("gateway.lock".to_owned())
        .spawn(wait)
        .map_err(LifecycleError::file("lock", path))?;
    match receiver.recv_timeout(patience) {
        Ok(Ok(file)) => Ok(Some(file)),
        Ok(Err(error)) => Err(LifecycleError::file("lock", path)(error.into())),
        Err(_) => Ok(None),
    }
}

/// Whoever holds the lock is the only one who writes this file: what is there is left over.
fn write_pid(path: &Path, text: &[u8]) -> Result<(), LifecycleError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(LifecycleError::file("remove", path)(error));
        }
        _ => {}
    }
    let opened = OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path);
    let written = opened.and_then(|mut file| file.write_all(text));
    written.map_err(LifecycleError::file("write", path))
}

fn read_record(path: &Path) -> Option<ProcessRecord> {
    let mut text = String::new();
    File::open(path).ok()?.take(LONGEST_RECORD).read_to_string(&mut text).ok()?;
    ProcessRecord::parse(&text)
}

#[cfg(test)]
mod tests {
    use super::{LifecycleError, Ownership, running};

    #[test]
    fn a_home_has_one_gateway_and_names_it() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(running(home.path()), None);
        let first = Ownership::take(home.path()).unwrap();
        assert_eq!(running(home.path()).as_ref(), Some(first.record()));
        let error = Ownership::take(home.path()).unwrap_err();
        let LifecycleError::Running { owner, .. } = &error else { panic!("{error:?}") };
        assert_eq!(owner.pid, std::process::id());
        assert!(error.to_string().contains(&std::process::id().to_string()));
        drop(first);
        assert!(!home.path().join("gateway.pid").exists());
        drop(Ownership::take(home.path()).unwrap());
    }

    #[test]
    fn files_that_a_crash_left_are_no_owner() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("gateway.pid"), "1").unwrap();
        std::fs::write(home.path().join("gateway.lock"), "nonsense").unwrap();
        assert_eq!(running(home.path()), None);
        drop(Ownership::take(home.path()).unwrap());
    }

    #[test]
    fn a_pid_file_of_another_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let owner = Ownership::take(home.path()).unwrap();
        std::fs::write(home.path().join("gateway.pid"), "{}").unwrap();
        drop(owner);
        assert!(home.path().join("gateway.pid").exists());
    }
}
