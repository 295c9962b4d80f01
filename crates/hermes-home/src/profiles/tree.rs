//! Looking at everything below a folder without following a single link.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::ProfileError;
use super::layout::PRIVATE_FOLDER;

/// Bytes of one block as `stat` counts them.
const BLOCK: u64 = 512;

/// One thing below a folder.
#[derive(Debug)]
pub(super) struct Found {
    /// Its path below the folder that was walked.
    pub(super) relative: PathBuf,
    pub(super) kind: Kind,
    /// Permission bits alone.
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) on_disk: u64,
    /// Seconds since 1970; an older file counts as of 1970.
    pub(super) modified: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    Link(PathBuf),
    /// A socket, a pipe or a device.
    Special,
}

/// Whether a walk looks at an entry and what is below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    Enter,
    Skip,
}

/// Everything below `base` in a stable order, a folder before what is in it.
/// `visit` is asked about each entry's path below `base`.
pub(super) fn walk(base: &Path, mut visit: impl FnMut(&Path) -> Visit) -> Result<Vec<Found>, ProfileError> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        let mut inner = Vec::new();
        for name in names(&base.join(&folder))? {
            let relative = folder.join(name);
            if visit(&relative) == Visit::Skip {
                continue;
            }
            let Some(entry) = look(base, relative)? else { continue };
            if entry.kind == Kind::Folder {
                inner.push(entry.relative.clone());
            }
            found.push(entry);
        }
        waiting.extend(inner.into_iter().rev());
    }
    Ok(found)
}

/// One entry, `None` if it has gone in the meantime.
pub(super) fn look(base: &Path, relative: PathBuf) -> Result<Option<Found>, ProfileError> {
    let path = base.join(&relative);
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ProfileError::at("examine", &path)(error)),
    };
    Ok(Some(Found {
        relative,
        kind: kind(&path, &metadata)?,
        mode: metadata.permissions().mode() & 0o777,
        size: metadata.len(),
        on_disk: metadata.blocks() * BLOCK,
        modified: u64::try_from(metadata.mtime()).unwrap_or(0),
    }))
}

/// Opens a regular file for reading; a link or a pipe in its place is refused.
pub(super) fn open_file(path: &Path) -> Result<File, ProfileError> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = opened.map_err(ProfileError::at("open", path))?;
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Ok(file),
        Ok(_) => Err(ProfileError::Changed { path: path.to_owned() }),
        Err(error) => Err(ProfileError::at("examine", path)(error)),
    }
}

/// Removes a folder with all that is in it. Folders that forbid it to their own
/// owner are opened up first.
pub(super) fn remove(path: &Path) -> Result<(), ProfileError> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path)?;
            std::fs::remove_dir_all(path)
        }
        outcome => outcome,
    }
    .map_err(ProfileError::at("remove", path))
}

fn open_up(folder: &Path) -> Result<(), ProfileError> {
    let private = || std::fs::Permissions::from_mode(PRIVATE_FOLDER);
    std::fs::set_permissions(folder, private()).map_err(ProfileError::at("open up", folder))?;
    for name in names(folder)? {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            open_up(&path)?;
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Result<Vec<std::ffi::OsString>, ProfileError> {
    let entries = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<io::Result<Vec<_>>>());
    let mut names = entries.map_err(ProfileError::at("read the folder", folder))?;
    names.sort();
    Ok(names)
}

fn kind(path: &Path, metadata: &Metadata) -> Result<Kind, ProfileError> {
    let file_type = metadata.file_type();
    if file_type.is_symlink() {
        return std::fs::read_link(path).map(Kind::Link).map_err(ProfileError::at("read the link", path));
    }
    Ok(match () {
        () if file_type.is_dir() => Kind::Folder,
        () if file_type.is_file() => Kind::File,
        () => Kind::Special,
    })
}
