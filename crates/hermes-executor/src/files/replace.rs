//! Putting a content in a file's place in one step, so that no reader and no crash ever sees
//! half of it.
//!
//! The new content is a new file that is renamed over the old one; what that would lose is
//! carried over (mode, owner) or said (other hard links). Links are followed first, or else the
//! rename would replace the link. A file that may not be written is not replaced either,
//! although its folder would allow it.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use hermes_proto::executor::FileProblem;
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;
use tempfile::NamedTempFile;

use super::notes::Notes;
use super::{open, problem, shown};

/// As many as the kernel follows.
const MOST_LINKS: usize = 40;
/// For a new file, before the umask.
const NEW_FILE: u32 = 0o666;
/// While the content of an existing file is written; then the mode becomes that file's.
const PRIVATE: u32 = 0o600;
/// What is kept of a mode: as with any write, not the bits that lend somebody's rights.
const KEPT_MODE: u32 = 0o777;

/// Where a content goes: a regular file, or a name that is free.
#[derive(Debug)]
pub(super) struct Destination {
    path: PathBuf,
    existing: Option<Metadata>,
    is_behind_link: bool,
}

impl Destination {
    /// Follows links from `path` to what a write would change.
    pub(super) fn find(path: &Path) -> Result<Self, FileProblem> {
        let mut here = path.to_owned();
        for links in 0..=MOST_LINKS {
            let failed = |error| problem::from_io(&here, "cannot be written", &error);
            let is_behind_link = links > 0;
            match fs::symlink_metadata(&here) {
                Ok(found) if found.is_symlink() => {
                    let target = fs::read_link(&here).map_err(failed)?;
                    here = here.parent().unwrap_or(Path::new("/")).join(target);
                }
                Ok(found) => {
                    open::must_be_regular(&here, &found)?;
                    accessat(CWD, &here, Access::WRITE_OK, AtFlags::EACCESS).map_err(|error| failed(error.into()))?;
                    return Ok(Self { path: here, existing: Some(found), is_behind_link });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Ok(Self { path: here, existing: None, is_behind_link });
                }
                Err(error) => return Err(failed(error)),
            }
        }
        Err(problem::from_io(path, "cannot be written", &Errno::LOOP.into()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn exists(&self) -> bool {
        self.existing.is_some()
    }

    /// Puts the content there, with the folders above it. Says what is not as before.
    pub(super) fn replace(&self, content: &[u8]) -> Result<Notes, FileProblem> {
        let mut notes = Notes::default();
        if self.is_behind_link {
            notes.push(format!("the path is a symbolic link; {} was written", shown::path(&self.path)));
        }
        let mut new = self.create()?;
        let failed = |error| problem::from_io(&self.path, "cannot be written", &error);
        new.write_all(content).map_err(failed)?;
        if let Some(existing) = &self.existing {
            self.keep_owner(existing, new.as_file(), &mut notes)?;
            let mode = Permissions::from_mode(existing.mode() & KEPT_MODE);
            new.as_file().set_permissions(mode).map_err(failed)?;
            if existing.nlink() > 1 {
                let others = existing.nlink() - 1;
                notes.push(format!("the file had {others} more hard links; they keep the old content"));
            }
        }
        new.persist(&self.path).map_err(|failure| failed(failure.error))?;
        Ok(notes)
    }

    /// An empty file in the destination's folder, which is made if it is missing.
    fn create(&self) -> Result<NamedTempFile, FileProblem> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        if fs::metadata(folder).is_ok_and(|found| !found.is_dir()) {
            return Err(FileProblem::NotAFolder { path: shown::path(folder) });
        }
        fs::create_dir_all(folder).map_err(|error| problem::from_io(folder, "the folder cannot be made", &error))?;
        let mode = if self.exists() { PRIVATE } else { NEW_FILE };
        tempfile::Builder::new()
            .prefix(".hermes-")
            .suffix(".tmp")
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)
            .map_err(|error| problem::from_io(folder, "no file can be made in the folder", &error))
    }

    fn keep_owner(&self, existing: &Metadata, new: &File, notes: &mut Notes) -> Result<(), FileProblem> {
        let failed = |error| problem::from_io(&self.path, "cannot be written", &error);
        let made = new.metadata().map_err(failed)?;
        if (made.uid(), made.gid()) == (existing.uid(), existing.gid()) {
            return Ok(());
        }
        if fchown(new, Some(existing.uid()), Some(existing.gid())).is_err() {
            let (old, old_group) = (existing.uid(), existing.gid());
            let (now, now_group) = (made.uid(), made.gid());
            notes.push(format!(
                "the file belonged to user {old} and group {old_group}; it now belongs to user {now} and group {now_group}"
            ));
        }
        Ok(())
    }
}
