//! The file an archive is written to: private, and complete or not there.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::profiles::ProfileError;
use crate::profiles::create::is_present;
use crate::profiles::layout::PRIVATE_FILE;
use crate::profiles::staging::{random_suffix, rename_new, sync};

/// What happens to a file that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    Refuse,
    Replace,
}

/// A file under construction beside its place; gone when dropped before it is kept.
pub(super) struct Output {
    place: PathBuf,
    folder: PathBuf,
    temporary: PathBuf,
    file: File,
    overwrite: Overwrite,
    kept: bool,
}

impl Output {
    pub(super) fn create(place: &Path, overwrite: Overwrite) -> Result<Self, ProfileError> {
        let Some(name) = place.file_name().filter(|_| !place.is_dir()) else {
            return Err(ProfileError::at("write", place)(io::ErrorKind::IsADirectory.into()));
        };
        if overwrite == Overwrite::Refuse && is_present(place) {
            return Err(ProfileError::OutputExists { path: place.to_owned() });
        }
        let folder = match place.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let temporary = folder.join(format!(".{}.{}.tmp", name.to_string_lossy(), random_suffix()));
        let created = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(&temporary);
        let file = created.map_err(ProfileError::at("write into", &folder))?;
        Ok(Self { place: place.to_owned(), folder, temporary, file, overwrite, kept: false })
    }

    /// Puts the file in its place, durably.
    pub(super) fn keep(mut self) -> Result<(), ProfileError> {
        self.file.sync_all().map_err(ProfileError::at("write", &self.place))?;
        let renamed = match self.overwrite {
            Overwrite::Refuse => rename_new(&self.temporary, &self.place),
            Overwrite::Replace => std::fs::rename(&self.temporary, &self.place),
        };
        renamed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => ProfileError::OutputExists { path: self.place.clone() },
            _ => ProfileError::at("write", &self.place)(error),
        })?;
        self.kept = true;
        sync(&self.folder)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.kept
            && let Err(error) = std::fs::remove_file(&self.temporary)
        {
            tracing::warn!(%error, "an unfinished archive was left behind");
        }
    }
}
