//! Writing the entries of an archive below one folder, and nowhere else.
//!
//! The folder is ours alone and starts empty. Every folder on the way to an entry
//! is looked at without following links, so a link that an earlier entry made
//! cannot redirect a later one.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tar::{Entry, EntryType};

use super::contents::{Class, class};
use super::entry::{self, Place};
use super::export::{LeftOut, WhyLeftOut};
use super::{ArchiveError, Limits};
use crate::profiles::layout::{PRIVATE_FILE, PRIVATE_FOLDER};
use crate::profiles::{ProfileError, link};

const BUFFER: usize = 64 * 1024;

/// An archive on its way to the disk.
pub(super) struct Unpacking<'a> {
    base: &'a Path,
    limits: Limits,
    top: Option<OsString>,
    entries: u64,
    files: u64,
    bytes: u64,
    /// Modes of folders are set last: a read-only one would refuse its own content.
    folders: Vec<(PathBuf, u32)>,
    left_out: Vec<LeftOut>,
    written: u64,
    progress: &'a mut dyn FnMut(u64),
}

/// What came out of an archive.
pub(super) struct Unpacked {
    pub(super) top: OsString,
    pub(super) files: u64,
    pub(super) bytes: u64,
    pub(super) left_out: Vec<LeftOut>,
}

impl<'a> Unpacking<'a> {
    /// Starts with nothing. `progress` hears how many bytes have been written.
    pub(super) fn new(base: &'a Path, limits: Limits, progress: &'a mut dyn FnMut(u64)) -> Self {
        let (folders, left_out) = (Vec::new(), Vec::new());
        Self { base, limits, top: None, entries: 0, files: 0, bytes: 0, folders, left_out, written: 0, progress }
    }

    pub(super) fn top(&self) -> Option<&OsStr> {
        self.top.as_deref()
    }

    pub(super) fn entries(&self) -> u64 {
        self.entries
    }

    /// Takes one entry in.
    pub(super) fn take<R: Read>(&mut self, entry: &mut Entry<'_, R>) -> Result<(), ProfileError> {
        self.count(entry.size())?;
        let kind = entry.header().entry_type();
        if kind == EntryType::XGlobalHeader {
            return Ok(());
        }
        let Some(place) = entry::place(&entry.path_bytes())? else {
            return Ok(());
        };
        let name = entry::path(&entry.path_bytes());
        self.stay_in_one_folder(&place, kind, &name)?;
        if matches!(class(&place.relative), Class::Runtime | Class::OtherHomes) {
            self.leave_out(&place.relative);
            return skip(entry);
        }
        let path = self.base.join(&place.relative);
        self.make_parents(&place.relative, &name)?;
        match kind {
            EntryType::Directory => self.folder(&place.relative, mode(entry), &name),
            EntryType::Regular => self.file(entry, &place.relative, &name),
            EntryType::Symlink => symlink(entry, &place.relative, &path, &name),
            EntryType::Link => self.hard_link(entry, &path, &name),
            _ => Err(ArchiveError::Special { entry: name }.into()),
        }
    }

    /// The folders get their modes; answers what was taken in.
    pub(super) fn finish(self) -> Result<Unpacked, ProfileError> {
        let Some(top) = self.top else {
            return Err(ArchiveError::Empty.into());
        };
        for (path, mode) in self.folders.iter().rev() {
            let set = std::fs::set_permissions(path, Permissions::from_mode(mode | PRIVATE_FOLDER));
            set.map_err(ProfileError::at("set the mode of", path))?;
        }
        Ok(Unpacked { top, files: self.files, bytes: self.written, left_out: self.left_out })
    }

    fn count(&mut self, size: u64) -> Result<(), ArchiveError> {
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(size);
        if self.entries > self.limits.entries {
            return Err(ArchiveError::TooManyEntries { limit: self.limits.entries });
        }
        if self.bytes > self.limits.bytes {
            return Err(ArchiveError::TooLarge { limit: self.limits.bytes });
        }
        Ok(())
    }

    fn stay_in_one_folder(&mut self, place: &Place, kind: EntryType, name: &Path) -> Result<(), ArchiveError> {
        if place.relative.as_os_str().is_empty() && kind != EntryType::Directory {
            return Err(ArchiveError::NotInAFolder { entry: name.to_owned() });
        }
        match &self.top {
            None => self.top = Some(place.top.clone()),
            Some(first) if *first == place.top => {}
            Some(first) => {
                return Err(ArchiveError::SecondFolder { first: first.clone(), second: place.top.clone() });
            }
        }
        Ok(())
    }

    /// Remembers the topmost part that is not taken in, once.
    fn leave_out(&mut self, relative: &Path) {
        if !self.left_out.iter().any(|left_out| relative.starts_with(&left_out.path)) {
            self.left_out.push(LeftOut { path: relative.to_owned(), why: WhyLeftOut::Class(class(relative)) });
        }
    }

    /// Makes the folders above an entry; anything there that is no folder is an attack.
    fn make_parents(&self, relative: &Path, name: &Path) -> Result<(), ProfileError> {
        let mut path = self.base.to_owned();
        for part in relative.parent().into_iter().flat_map(Path::components) {
            path.push(part);
            make_folder(&path, name, ArchiveError::Behind { entry: name.to_owned() })?;
        }
        Ok(())
    }

    fn folder(&mut self, relative: &Path, mode: u32, name: &Path) -> Result<(), ProfileError> {
        if relative.as_os_str().is_empty() {
            return Ok(());
        }
        let path = self.base.join(relative);
        make_folder(&path, name, ArchiveError::Twice { entry: name.to_owned() })?;
        self.folders.push((path, mode));
        Ok(())
    }

    fn file<R: Read>(&mut self, entry: &mut Entry<'_, R>, relative: &Path, name: &Path) -> Result<(), ProfileError> {
        let path = self.base.join(relative);
        let created = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(&path);
        let mut file = created.map_err(|error| fresh(error, &path, name))?;
        let size = entry.size();
        let mode = if class(relative) == Class::Secret { mode(entry) & PRIVATE_FILE } else { mode(entry) };
        let modified = entry.header().mtime().unwrap_or(0);

        let copied = self.copy(entry, &mut file, &path)?;
        if copied != size {
            return Err(ArchiveError::Truncated { entry: name.to_owned() }.into());
        }
        if let Some(time) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(modified)) {
            // A time that this disk cannot keep is no reason to refuse the file.
            let _ = file.set_modified(time);
        }
        self.files += 1;
        file.set_permissions(Permissions::from_mode(mode)).map_err(ProfileError::at("set the mode of", &path))
    }

    /// Copies an entry's bytes; a failing archive and a failing disk are told apart.
    fn copy(&mut self, from: &mut impl Read, to: &mut impl io::Write, path: &Path) -> Result<u64, ProfileError> {
        let mut buffer = vec![0; BUFFER];
        let mut copied = 0;
        loop {
            let count = match from.read(&mut buffer) {
                Ok(0) => return Ok(copied),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ArchiveError::Unreadable(error).into()),
            };
            to.write_all(&buffer[..count]).map_err(ProfileError::at("unpack", path))?;
            copied += count as u64;
            self.written += count as u64;
            (self.progress)(self.written);
        }
    }

    /// A second name for a file that was unpacked before.
    fn hard_link<R: Read>(&mut self, entry: &Entry<'_, R>, path: &Path, name: &Path) -> Result<(), ProfileError> {
        let target = entry.link_name_bytes().unwrap_or_default();
        let refused = || ArchiveError::HardLink { entry: name.to_owned(), target: entry::path(&target) };
        let place = entry::place(&target).ok().flatten().ok_or_else(refused)?;
        if self.top() != Some(&place.top) || !is_own_file(self.base, &place.relative) {
            return Err(refused().into());
        }
        self.files += 1;
        std::fs::hard_link(self.base.join(place.relative), path).map_err(|error| fresh(error, path, name))
    }
}

/// Permission bits alone: whatever would run as somebody else is dropped.
fn mode<R: Read>(entry: &Entry<'_, R>) -> u32 {
    entry.header().mode().unwrap_or(PRIVATE_FILE) & 0o777
}

fn symlink<R: Read>(entry: &Entry<'_, R>, relative: &Path, path: &Path, name: &Path) -> Result<(), ProfileError> {
    let bytes = entry.link_name_bytes().unwrap_or_default();
    let target = entry::path(&bytes);
    if bytes.is_empty() || bytes.contains(&0) || !link::stays_inside(link::depth(relative), &target) {
        return Err(ArchiveError::LinkOutside { entry: name.to_owned(), target }.into());
    }
    std::os::unix::fs::symlink(target, path).map_err(|error| fresh(error, path, name))
}

/// Reads past an entry's content, which may be large.
fn skip<R: Read>(entry: &mut Entry<'_, R>) -> Result<(), ProfileError> {
    io::copy(entry, &mut io::sink()).map_err(ArchiveError::Unreadable)?;
    Ok(())
}

/// Whether this is a plain file below `base`, with only real folders above it.
fn is_own_file(base: &Path, relative: &Path) -> bool {
    let mut above = relative.ancestors().skip(1);
    let is = |path: &Path, wanted: fn(&std::fs::Metadata) -> bool| {
        base.join(path).symlink_metadata().is_ok_and(|metadata| wanted(&metadata))
    };
    is(relative, std::fs::Metadata::is_file) && above.all(|folder| is(folder, std::fs::Metadata::is_dir))
}

fn make_folder(path: &Path, name: &Path, occupied: ArchiveError) -> Result<(), ProfileError> {
    match DirBuilder::new().mode(PRIVATE_FOLDER).create(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            _ => Err(occupied.into()),
        },
        Err(error) => Err(fresh(error, path, name)),
    }
}

/// The error of making something that must not have been there.
fn fresh(error: io::Error, path: &Path, name: &Path) -> ProfileError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => ArchiveError::Twice { entry: name.to_owned() }.into(),
        _ => ProfileError::at("unpack", path)(error),
    }
}
