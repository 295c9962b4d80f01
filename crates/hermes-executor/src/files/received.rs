//! Files that came from outside, in a private folder of the session.
//!
//! A stranger may have sent them, and the session's commands can do with the folder what they like. So a file is always a new one,
//! made in the folder that was opened when it was made and never through a link, under a name that nobody else has chosen; its later
//! pieces go to the file that is open, whatever has its name meanwhile. The folder goes with the session.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, unlinkat};
use rustix::io::Errno;

use super::received_name;
use crate::private_folder::{make_folder, remove_folder};

const PREFIX: &str = "hermes-received-";
/// Bytes of one file.
pub(super) const MOST_BYTES: u64 = 20 * 1024 * 1024;
/// Bytes of all that are in the folder: it may be in memory.
const MOST_TOGETHER: u64 = 128 * 1024 * 1024;
/// Files of one name.
const MOST_OF_NAME: usize = 1000;

/// One piece of a file. The name is a safe one.
#[derive(Debug)]
pub(super) struct Arriving<'a> {
    pub(super) name: &'a str,
    pub(super) size: u64,
    pub(super) offset: u64,
    pub(super) bytes: &'a [u8],
}

/// Why a piece is not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum PutError {
    #[error("{0} bytes are too many, at most {MOST_BYTES} are taken")]
    TooLarge(u64),
    #[error("there is no room: {} may hold {MOST_TOGETHER} bytes; remove what is not needed", .0.display())]
    Full(PathBuf),
    #[error("this piece does not belong to the file that is coming")]
    OutOfPlace,
    #[error("cannot be written: {0}")]
    Write(#[from] io::Error),
}

impl From<Errno> for PutError {
    fn from(error: Errno) -> Self {
        Self::Write(error.into())
    }
}

/// The folder, and the file that is coming. Dropped, the folder is removed.
#[derive(Debug, Default)]
pub struct Received {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    folder: Option<Folder>,
    coming: Option<Coming>,
}

/// A file that is not whole yet.
#[derive(Debug)]
struct Coming {
    /// Before it was numbered.
    asked: String,
    name: String,
    file: File,
    written: u64,
    size: u64,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    opened: OwnedFd,
}

impl Received {
    /// Takes a piece. Where the file is, and how many bytes it has. Blocks.
    pub(super) fn put(&self, piece: &Arriving<'_>) -> Result<(PathBuf, u64), PutError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut coming = match piece.offset {
            0 => state.begin(piece)?,
            _ => state.go_on(piece)?,
        };
        let written = coming.write(piece);
        let Some(folder) = &state.folder else { return Err(PutError::OutOfPlace) };
        if let Err(error) = written {
            folder.give_up(&coming);
            return Err(error);
        }
        let (path, written) = (folder.path.join(&coming.name), coming.written);
        if written < coming.size {
            state.coming = Some(coming);
        }
        Ok((path, written))
    }
}

impl Drop for Received {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = state.folder.take() {
            // The executor ends: nobody is left to be told.
            let _ = remove_folder(&folder.path);
        }
    }
}

impl State {
    /// The file that is coming, if this is its next piece. If not, no other will be.
    fn go_on(&mut self, piece: &Arriving<'_>) -> Result<Coming, PutError> {
        match self.coming.take() {
            Some(coming) if coming.goes_on_with(piece) => Ok(coming),
            coming => {
                self.give_up(coming);
                Err(PutError::OutOfPlace)
            }
        }
    }

    fn give_up(&self, coming: Option<Coming>) {
        if let (Some(folder), Some(coming)) = (&self.folder, coming) {
            folder.give_up(&coming);
        }
    }

    fn begin(&mut self, piece: &Arriving<'_>) -> Result<Coming, PutError> {
        let unfinished = self.coming.take();
        self.give_up(unfinished);
        if piece.size > MOST_BYTES {
            return Err(PutError::TooLarge(piece.size));
        }
        // A command may have removed it, or put something else in its place.
        let folder = match self.folder.take().filter(Folder::is_in_its_place) {
            Some(folder) => folder,
            None => Folder::make()?,
        };
        let folder = self.folder.insert(folder);
        if folder.bytes()?.saturating_add(piece.size) > MOST_TOGETHER {
            return Err(PutError::Full(folder.path.clone()));
        }
        let (name, file) = folder.create(piece.name)?;
        Ok(Coming { asked: piece.name.to_owned(), name, file, written: 0, size: piece.size })
    }
}

impl Coming {
    fn goes_on_with(&self, piece: &Arriving<'_>) -> bool {
        (self.asked.as_str(), self.size, self.written) == (piece.name, piece.size, piece.offset)
    }

    fn write(&mut self, piece: &Arriving<'_>) -> Result<(), PutError> {
        let written = self.written.saturating_add(piece.bytes.len() as u64);
        // An empty piece of a file that is not whole would come for ever.
        if written > self.size || (piece.bytes.is_empty() && self.size > 0) {
            return Err(PutError::OutOfPlace);
        }
        self.file.write_all(piece.bytes)?;
        self.written = written;
        Ok(())
    }
}

impl Folder {
    fn make() -> Result<Self, PutError> {
        let path = make_folder(PREFIX)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(CWD, &path, flags, Mode::empty())?;
        Ok(Self { path, opened })
    }

    fn is_in_its_place(&self) -> bool {
        let (Ok(there), Ok(own)) = (fs::symlink_metadata(&self.path), fstat(&self.opened)) else { return false };
        there.is_dir() && (there.dev(), there.ino()) == (own.st_dev, own.st_ino)
    }

    fn bytes(&self) -> io::Result<u64> {
        let entries = fs::read_dir(&self.path)?;
        Ok(entries
            .filter_map(|entry| entry.ok()?.metadata().ok())
            .map(|known| known.len())
            .fold(0, u64::saturating_add))
    }

    /// A new file of this name, numbered if there is one.
    fn create(&self, name: &str) -> Result<(String, File), PutError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for number in 1..=MOST_OF_NAME {
            let name = received_name::numbered(name, number);
            match openat(&self.opened, Path::new(&name), flags, Mode::RUSR | Mode::WUSR) {
                Ok(file) => return Ok((name, file.into())),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Half a file is none.
    fn give_up(&self, coming: &Coming) {
        let _ = unlinkat(&self.opened, Path::new(&coming.name), AtFlags::empty());
    }
}
