//! The right to hold the sessions of a home: a lock that the kernel frees with its holder,
//! and the socket that only the owner of the lock makes and removes.
//!
//! A socket's file outlives its process. Were it taken as proof of a holder, a killed one
//! would block the home; were it simply replaced, two holders would serve two halves of the
//! callers. So the lock decides, and the socket follows.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use hermes_home::files::{Holder as LockHolder, create_private_dir};
use rustix::fs::{
    AtFlags, FileType, FlockOperation, Gid, Mode, OFlags, Uid, fchmod, fchown, flock, fstat, open, openat, statat,
    unlinkat,
};
use rustix::io::{Errno, pread, pwrite};
use tokio::net::{UnixListener, UnixSocket};

use super::error::HeldError;

const SOCKET: &str = "exec.sock";
const LOCK: &str = "exec.lock";
/// Callers that may wait to be accepted.
const BACKLOG: u32 = 128;
/// Room for the longest process id; a fixed width overwrites the one before whole.
const WIDTH: usize = 10;
/// How often the lock file may be deleted under us.
const ATTEMPTS: usize = 8;

/// Held until dropped; then the socket is gone, and another may hold the home's sessions.
#[derive(Debug)]
pub struct Claim {
    folder: Folder,
    lock: Lock,
}

/// Its holder alone may touch the socket.
#[derive(Debug)]
struct Lock(OwnedFd);

/// The home, by descriptor: a path to a socket may have 107 bytes, a home's is not bounded.
#[derive(Debug)]
pub(super) struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl Claim {
    /// Takes the lock, replaces what a dead holder left, and listens.
    pub fn take(home: &Path) -> Result<(Self, UnixListener), HeldError> {
        create_private_dir(home)?;
        let folder =
            Folder::open(home).map_err(|error| HeldError::Folder { path: home.to_owned(), source: error.into() })?;
        let lock = take_lock(&folder)?;
        folder.remove_stale_socket()?;
        let listener = folder.listen().map_err(|source| HeldError::Listen { path: folder.socket_name(), source })?;
        Ok((Self { folder, lock }, listener))
    }

    /// Where callers connect.
    pub fn socket(&self) -> PathBuf {
        self.folder.socket_name()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // With another lock comes another holder, and the socket is his.
        if is_still(&self.folder, &self.lock.0) {
            // One that stays is replaced by the next holder.
            let _ = unlinkat(&self.folder.descriptor, SOCKET, AtFlags::empty());
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, were there no child between its fork and its exec.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, Errno> {
        let descriptor = open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { descriptor, path: path.to_owned() })
    }

    /// The socket by a path that is short enough.
    pub(super) fn socket(&self) -> PathBuf {
        format!("/proc/self/fd/{}/{SOCKET}", self.descriptor.as_raw_fd()).into()
    }

    /// The socket as it is called in messages.
    pub(super) fn socket_name(&self) -> PathBuf {
        self.at(SOCKET)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn remove_stale_socket(&self) -> Result<(), HeldError> {
        let replace = |error: Errno| HeldError::Replace { path: self.socket_name(), source: error.into() };
        match statat(&self.descriptor, SOCKET, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(replace(error)),
            Ok(found) if FileType::from_raw_mode(found.st_mode) != FileType::Socket => {
                Err(HeldError::InTheWay { path: self.socket_name() })
            }
            Ok(_) => unlinkat(&self.descriptor, SOCKET, AtFlags::empty()).map_err(replace),
        }
    }

    fn listen(&self) -> io::Result<UnixListener> {
        let socket = UnixSocket::new_stream()?;
        // Before it has a name: there is no moment at which others could connect.
        fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
        socket.bind(self.socket())?;
        socket.listen(BACKLOG)
    }
}

fn take_lock(folder: &Folder) -> Result<Lock, HeldError> {
    let path = || folder.at(LOCK);
    for _ in 0..ATTEMPTS {
        let file = open_lock(folder).map_err(|error| HeldError::OpenLock { path: path(), source: error.into() })?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(HeldError::Held { holder: holder(&file) }),
            Err(error) => return Err(HeldError::Lock { path: path(), source: error.into() }),
        }
        if is_still(folder, &file) {
            // Only for messages: a full disk must not keep sessions from being held.
            let _ = pwrite(&file, format!("{:<WIDTH$}\n", std::process::id()).as_bytes(), 0);
            return Ok(Lock(file));
        }
    }
    Err(HeldError::OpenLock { path: path(), source: io::Error::other("it is deleted again and again") })
}

fn open_lock(folder: &Folder) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = openat(&folder.descriptor, LOCK, flags, Mode::RUSR | Mode::WUSR)?;
    let owner = statat(&folder.descriptor, "", AtFlags::EMPTY_PATH)?;
    if rustix::process::geteuid().is_root() && owner.st_uid != 0 {
        // Made by root in somebody's home it would be in the way of its owner.
        let _ = fchown(&file, Some(Uid::from_raw(owner.st_uid)), Some(Gid::from_raw(owner.st_gid)));
    }
    Ok(file)
}

/// Whether the locked file is the one that others will open.
fn is_still(folder: &Folder, file: &OwnedFd) -> bool {
    let named = statat(&folder.descriptor, LOCK, AtFlags::SYMLINK_NOFOLLOW);
    let (Ok(named), Ok(held)) = (named, fstat(file)) else { return false };
    (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)
}

/// Who wrote its number into the lock.
fn holder(file: &OwnedFd) -> Option<LockHolder> {
    let mut text = [0_u8; WIDTH];
    let length = pread(file, &mut text, 0).ok()?;
    let pid = std::str::from_utf8(text.get(..length)?).ok()?.trim().parse().ok()?;
    let program = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok();
    Some(LockHolder { pid, program: program.map(|name| name.trim_end().to_owned()) })
}
