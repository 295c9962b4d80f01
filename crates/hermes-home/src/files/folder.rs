//! Folders, held by descriptor: what was checked is what gets used, whatever
//! happens to the path in the meantime.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid, fchown, fstat, fsync, mkdirat, open, openat, readlinkat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::{FileError, FileKind, Step};

/// An open folder and the path it is known by in messages.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) fd: OwnedFd,
    pub(super) path: PathBuf,
}

/// Who created a folder that is there now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Created {
    Now,
    ByOthers,
}

/// Creates a folder that only its owner can enter (0700), with missing parents
/// alike. One that exists is accepted as it is.
pub fn create_private_dir(path: &Path) -> Result<(), FileError> {
    Folder::create_all(path).map(drop)
}

impl Folder {
    /// Opens a folder by a trusted path: links on the way are followed.
    pub(super) fn open(path: &Path, access: OFlags) -> Result<Self, Errno> {
        let fd = open(path, access | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { fd, path: path.to_owned() })
    }

    fn create_all(path: &Path) -> Result<Self, FileError> {
        match Self::open(path, OFlags::RDONLY) {
            Err(Errno::NOENT) => {}
            Err(Errno::NOTDIR) => {
                return Err(FileError::NotAFolder { kind: FileKind::at(path), path: path.to_owned() });
            }
            outcome => return outcome.map_err(|error| FileError::at(Step::OpenFolder, path.to_owned(), error)),
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(FileError::at(Step::CreateFolder, path.to_owned(), Errno::NOENT));
        };
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        Self::create_all(parent)?.create(name)?;
        Self::open(path, OFlags::RDONLY).map_err(|error| FileError::at(Step::OpenFolder, path.to_owned(), error))
    }

    /// Opens an entry as a folder; a link is not followed.
    pub(super) fn enter(&self, name: &OsStr, access: OFlags) -> Result<Self, Errno> {
        let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(&self.fd, name, flags, Mode::empty())?;
        Ok(Self { fd, path: self.path.join(name) })
    }

    /// Creates a private folder; that somebody else was faster is no error.
    pub(super) fn create(&self, name: &OsStr) -> Result<Created, FileError> {
        match mkdirat(&self.fd, name, Mode::RWXU) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(Created::ByOthers),
            Err(error) => return Err(FileError::at(Step::CreateFolder, self.path.join(name), error)),
        }
        self.sync().map_err(|error| FileError::at(Step::SyncFolder, self.path.clone(), error))?;
        Ok(Created::Now)
    }

    /// Where an entry leads if it is a link; `None` if it is not, or is missing.
    pub(super) fn link(&self, name: &OsStr) -> Result<Option<PathBuf>, FileError> {
        match readlinkat(&self.fd, name, Vec::new()) {
            Ok(target) => Ok(Some(OsString::from_vec(target.into_bytes()).into())),
            Err(Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(FileError::at(Step::FollowLink, self.path.join(name), error)),
        }
    }

    /// What an entry is, without following it.
    pub(super) fn kind(&self, name: &OsStr) -> FileKind {
        statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).map_or(FileKind::Unknown, |stat| FileKind::of(stat.st_mode))
    }

    /// Makes the list of entries durable.
    pub(super) fn sync(&self) -> Result<(), Errno> {
        match fsync(&self.fd) {
            // Some network and user-space file systems cannot sync a folder.
            Err(Errno::INVAL) => Ok(()),
            outcome => outcome,
        }
    }

    /// Gives something new in this folder to the folder's owner, if this is root:
    /// root tends somebody's home, and what it leaves must not lock them out.
    pub(super) fn give(&self, created: impl AsFd) {
        if !geteuid().is_root() {
            return;
        }
        let Ok(folder) = fstat(&self.fd) else { return };
        if folder.st_uid == 0 && folder.st_gid == 0 {
            return;
        }
        let (owner, group) = (Uid::from_raw(folder.st_uid), Gid::from_raw(folder.st_gid));
        if let Err(error) = fchown(created, Some(owner), Some(group)) {
            // A user namespace or a network mount may not know the owner.
            tracing::debug!(folder = %self.path.display(), %error, "a new entry stays with root");
        }
    }
}
