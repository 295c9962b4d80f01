//! The lock of one file, between processes and between threads of one.
//!
//! It is an `flock` on a file that stays: a lock that is deleted when free lets two
//! writers hold two different files of one name. The kernel frees it when its holder
//! dies, however that happens. It is not handed to started programs, which would
//! keep it for as long as they run. Compatible with the original's `auth.lock`.

use std::ffi::OsString;
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, openat, statat};
use rustix::io::{Errno, pread, pwrite, retry_on_intr};

use super::name;
use super::walk::Place;
use super::{FileError, FileKind, Step};

/// Room for the longest process id; a fixed width overwrites the one before whole.
const WIDTH: usize = 10;
/// How often the lock file may be deleted or created under us.
const ATTEMPTS: usize = 8;

/// Held until dropped.
#[derive(Debug)]
pub(super) struct Lock {
    file: OwnedFd,
}

/// The process that wrote its number into a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub pid: u32,
    /// Its program's name; unknown if it runs in another container or has ended.
    pub program: Option<String>,
}

impl Lock {
    /// Takes the lock beside this place, waiting for at most `patience`.
    pub(super) fn take(place: &Place, patience: Duration) -> Result<Self, FileError> {
        let until = Instant::now() + patience;
        let lock = LockFile { place, name: name::lock_of(&place.name) };
        for _ in 0..ATTEMPTS {
            let held = lock.acquire(lock.open()?, until, patience)?;
            if lock.is_still(&held.file) {
                // Only for messages: a full disk must not keep a file from shrinking.
                let _ = pwrite(&held.file, format!("{:<WIDTH$}\n", std::process::id()).as_bytes(), 0);
                return Ok(held);
            }
        }
        Err(FileError::Unstable { path: lock.path() })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, were there no child between its fork and its exec that
        // still has a copy of the descriptor.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

struct LockFile<'place> {
    place: &'place Place,
    name: OsString,
}

impl LockFile<'_> {
    fn path(&self) -> PathBuf {
        self.place.folder.path.join(&self.name)
    }

    fn open(&self) -> Result<OwnedFd, FileError> {
        let folder = &self.place.folder;
        for _ in 0..ATTEMPTS {
            match openat(&folder.fd, &self.name, flags(), Mode::empty()) {
                Ok(file) => return self.check(file),
                Err(Errno::NOENT) => {}
                Err(error) => return Err(self.refused(error)?),
            }
            match openat(&folder.fd, &self.name, flags() | OFlags::CREATE | OFlags::EXCL, private()) {
                Ok(file) => {
                    folder.give(&file);
                    return Ok(file);
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(self.error(Step::OpenLock, error)),
            }
        }
        Err(FileError::Unstable { path: self.path() })
    }

    fn check(&self, file: OwnedFd) -> Result<OwnedFd, FileError> {
        let stat = fstat(&file).map_err(|error| self.error(Step::OpenLock, error))?;
        match FileKind::of(stat.st_mode) {
            FileKind::File => Ok(file),
            kind => Err(FileError::NotAFile { path: self.path(), kind }),
        }
    }

    fn refused(&self, error: Errno) -> Result<FileError, FileError> {
        Ok(match error {
            Errno::LOOP => {
                let target = self.place.folder.link(&self.name)?.unwrap_or_default();
                FileError::LinkedLock { lock: self.path(), target }
            }
            Errno::ISDIR | Errno::NXIO => {
                FileError::NotAFile { path: self.path(), kind: self.place.folder.kind(&self.name) }
            }
            error => self.error(Step::OpenLock, error),
        })
    }

    /// Locks the open file: at once if it is free, else in a thread that can be left
    /// behind, because nothing but a signal ends a waiting `flock`.
    fn acquire(&self, file: OwnedFd, until: Instant, patience: Duration) -> Result<Lock, FileError> {
        match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => return Ok(Lock { file }),
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(self.error(Step::TakeLock, error)),
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let waiter = move || {
            let locked = retry_on_intr(|| flock(&file, FlockOperation::LockExclusive)).map(|()| Lock { file });
            // If nobody waits any more, this frees the lock again.
            let _ = sender.send(locked);
        };
        let started = thread::Builder::new().name(self.name.to_string_lossy().into_owned()).spawn(waiter);
        started.map_err(|source| FileError::io(Step::TakeLock, self.path(), source))?;
        match receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(locked) => locked.map_err(|error| self.error(Step::TakeLock, error)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let holder = self.open().ok().and_then(|file| holder(&file));
                Err(FileError::Locked { lock: self.path(), holder, waited: patience })
            }
        }
    }

    /// Whether the locked file is still the one that others will open.
    fn is_still(&self, file: &OwnedFd) -> bool {
        let named = statat(&self.place.folder.fd, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let (Ok(named), Ok(held)) = (named, fstat(file)) else { return false };
        (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)
    }

    fn error(&self, step: Step, error: Errno) -> FileError {
        FileError::at(step, self.path(), error)
    }
}

fn flags() -> OFlags {
    OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
}

fn private() -> Mode {
    Mode::RUSR | Mode::WUSR
}

/// Who wrote its number into the lock; `None` if nobody did.
fn holder(file: &OwnedFd) -> Option<Holder> {
    let mut text = [0_u8; WIDTH];
    let length = pread(file, &mut text, 0).ok()?;
    let pid = std::str::from_utf8(text.get(..length)?).ok()?.trim().parse().ok()?;
    let program = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok();
    Some(Holder { pid, program: program.map(|name| name.trim_end().to_owned()) })
}

impl fmt::Display for Holder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.program {
            Some(program) => write!(formatter, "process {} ({program}) has it", self.pid),
            None => write!(formatter, "process {} took it last", self.pid),
        }
    }
}

/// Returns when a thread of this process waits for the lock of this name, which
/// then is the name of that thread.
#[cfg(test)]
pub(super) fn until_waited_for(lock: &str) {
    let waits = || {
        let mut threads = std::fs::read_dir("/proc/self/task").unwrap();
        // A thread may end between being listed and being asked.
        threads.any(|thread| {
            std::fs::read_to_string(thread.unwrap().path().join("comm")).is_ok_and(|name| name.trim_end() == lock)
        })
    };
    while !waits() {
        thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use hermes_proto::{Explain, Fault};

    use super::{Holder, Lock, until_waited_for};
    use crate::files::FileError;
    use crate::files::walk::Place;

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(50);

    fn place(home: &Path) -> Place {
        Place::find(home, "auth.json").unwrap()
    }

    #[test]
    fn waiting_ends_and_names_the_holder() {
        let home = tempfile::tempdir().unwrap();
        let held = Lock::take(&place(home.path()), LONG).unwrap();
        let started = Instant::now();
        let error = Lock::take(&place(home.path()), SHORT).unwrap_err();
        assert!(started.elapsed() >= SHORT && started.elapsed() < LONG);
        assert_eq!(error.fault(), Fault::TryAgain);
        let FileError::Locked { lock, holder: Some(Holder { pid, program: Some(_) }), .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!((lock, *pid), (&home.path().join("auth.lock"), std::process::id()));
        assert!(error.to_string().contains(&format!("process {pid} (")), "{error}");
        assert!(error.hint().unwrap().contains(&pid.to_string()));
        drop(held);
        // The waiter that was left behind gets the lock first, and frees it at once.
        Lock::take(&place(home.path()), LONG).unwrap();
    }

    #[test]
    fn a_waiter_gets_the_lock_when_it_is_freed() {
        let home = tempfile::tempdir().unwrap();
        let held = Lock::take(&place(home.path()), LONG).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| Lock::take(&place(home.path()), LONG).map(drop));
            drop(held);
            waiter.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_copy_of_the_descriptor_does_not_keep_the_lock() {
        let home = tempfile::tempdir().unwrap();
        let held = Lock::take(&place(home.path()), LONG).unwrap();
        // What a child has between its fork and its exec.
        let _copy = held.file.try_clone().unwrap();
        drop(held);
        Lock::take(&place(home.path()), SHORT).unwrap();
    }

    #[test]
    fn a_deleted_lock_does_not_let_two_in() {
        let home = tempfile::tempdir().unwrap();
        let gone = Place::find(home.path(), "gone.json").unwrap();
        let held = Lock::take(&gone, LONG).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| Lock::take(&gone, LONG).unwrap());
            until_waited_for("gone.lock");
            std::fs::remove_file(home.path().join("gone.lock")).unwrap();
            drop(held);
            let _second = waiter.join().unwrap();
            let third = Lock::take(&gone, SHORT);
            assert!(matches!(third, Err(FileError::Locked { .. })), "{third:?}");
        });
    }
}
