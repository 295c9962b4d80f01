//! Reading a file that should be a small regular one, whatever it turns out to be.
//!
//! A named pipe would make a plain read wait for ever, and a device or a runaway
//! file would fill the memory: files are opened without waiting, then looked at.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat, fstat, open, openat};
use rustix::io::Errno;

use super::walk::Place;
use super::{FileError, FileKind, Step};

/// The most bytes a file of the home may have to be read or written here.
pub(super) const LARGEST: u64 = 16 * 1024 * 1024;

/// A regular file as it was when it was read.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) file: File,
    pub(super) stat: Stat,
    pub(super) bytes: Vec<u8>,
}

/// What is at a place.
#[derive(Debug)]
pub(super) enum Found {
    Nothing,
    /// It was put there after the place had been found.
    Link,
    File(Current),
}

/// The content of a file, `None` if there is none. Links are followed, also out of
/// the home; one that leads to nothing counts as no file.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match open(path, flags(), Mode::empty()) {
        Ok(fd) => current(fd, path).map(|current| Some(current.bytes)),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP) => {
            let target = std::fs::read_link(path).unwrap_or_default();
            Err(FileError::LinkLoop { link: path.to_owned(), target })
        }
        Err(error) => Err(refused(error, path.to_owned())),
    }
}

/// Reads what is at a place, without following it.
pub(super) fn read_at(place: &Place) -> Result<Found, FileError> {
    match openat(&place.folder.fd, &place.name, flags() | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(fd) => current(fd, &place.path()).map(Found::File),
        Err(Errno::NOENT) => Ok(Found::Nothing),
        Err(Errno::LOOP) => Ok(Found::Link),
        Err(error) => Err(refused(error, place.path())),
    }
}

fn flags() -> OFlags {
    OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC
}

fn refused(error: Errno, path: PathBuf) -> FileError {
    match error {
        // What the kernel says of a socket, and of a device without a driver.
        Errno::NXIO => FileError::NotAFile { kind: FileKind::at(&path), path },
        error => FileError::at(Step::Read, path, error),
    }
}

fn current(fd: OwnedFd, path: &Path) -> Result<Current, FileError> {
    let stat = fstat(&fd).map_err(|error| FileError::at(Step::Read, path.to_owned(), error))?;
    match FileKind::of(stat.st_mode) {
        FileKind::File => {}
        kind => return Err(FileError::NotAFile { path: path.to_owned(), kind }),
    }
    let size = u64::try_from(stat.st_size).unwrap_or_default();
    within_bound(path, size)?;
    let file = File::from(fd);
    // One more than announced, so that the end is seen without a larger buffer.
    let mut bytes = Vec::with_capacity(usize::try_from(size + 1).unwrap_or_default());
    (&file)
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| FileError::io(Step::Read, path.to_owned(), source))?;
    within_bound(path, bytes.len() as u64)?;
    Ok(Current { file, stat, bytes })
}

/// Refuses more bytes than can be read again.
pub(super) fn within_bound(path: &Path, size: u64) -> Result<(), FileError> {
    if size > LARGEST { Err(FileError::TooLarge { path: path.to_owned(), size }) } else { Ok(()) }
}
