//! Output that is too long to return, in a private file.
//!
//! The folder may be shared with other sessions of the same person and outlives this one:
//! names must not collide, nobody else may read along, and what is old goes when something
//! new comes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Files older than this are removed when a new one is made.
const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Why output could not be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpillError {
    #[error("{}: folder for long output cannot be made: {source}", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("{}: file for long output cannot be made: {source}", .path.display())]
    Create { path: PathBuf, source: io::Error },
    #[error("{}: long output cannot be written: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
}

/// A file that takes the beginning of a stream, up to a bound.
#[derive(Debug)]
pub(crate) struct Spill {
    file: File,
    path: PathBuf,
    room: u64,
}

impl Spill {
    /// Makes a fresh file for at most `limit` bytes.
    pub(crate) fn create(folder: &Path, limit: u64) -> Result<Self, SpillError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|source| SpillError::Folder { folder: folder.to_owned(), source })?;
        remove_old(folder, SystemTime::now());
        let path = folder.join(fresh_name());
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(|source| SpillError::Create { path: path.clone(), source })?;
        Ok(Self { file, path, room: limit })
    }

    /// Writes as much as there is room for, to the last whole character.
    pub(crate) fn push(&mut self, text: &str) -> Result<(), SpillError> {
        let fits = usize::try_from(self.room).unwrap_or(usize::MAX);
        let kept = text.get(..text.floor_char_boundary(fits)).unwrap_or(text);
        // Once something did not fit, nothing later may follow it.
        self.room = if kept.len() < text.len() { 0 } else { self.room - kept.len() as u64 };
        let written = self.file.write_all(kept.as_bytes());
        written.map_err(|source| SpillError::Write { path: self.path.clone(), source })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// `out-<seconds>-<process>-<hexadecimal>.log`.
fn fresh_name() -> String {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let random = u32::from_le_bytes(crate::random::bytes());
    format!("out-{seconds}-{}-{random:08x}.log", std::process::id())
}

/// Removes what was left by earlier commands. Failing to is not worth failing a command:
/// another session may do the same at this moment.
fn remove_old(folder: &Path, now: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with("out-") && name.ends_with(".log"));
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > KEPT_FOR));
        if is_ours && is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, SystemTime};

    use super::{KEPT_FOR, Spill};

    fn mode(path: &std::path::Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn the_file_is_private_and_bounded() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("cache/terminal-output");
        let mut spill = Spill::create(&folder, 10).unwrap();
        for piece in ["12345", "678ä", "more"] {
            spill.push(piece).unwrap();
        }
        assert_eq!(fs::read_to_string(spill.path()).unwrap(), "12345678ä");
        spill.push("x").unwrap();
        assert_eq!(fs::read_to_string(spill.path()).unwrap(), "12345678ä");
        assert_eq!((mode(&folder), mode(spill.path())), (0o700, 0o600));
        let name = spill.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(name.matches('-').count(), 3, "{name}");
    }

    #[test]
    fn only_old_files_of_ours_go() {
        let folder = tempfile::tempdir().unwrap();
        let aged = |name: &str, age: Duration| {
            let path = folder.path().join(name);
            File::create(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
            path
        };
        let hour = Duration::from_secs(3600);
        let old = aged("out-1-2-3.log", KEPT_FOR + hour);
        let young = aged("out-1-2-4.log", KEPT_FOR - hour);
        let foreign = aged("notes.log", KEPT_FOR + hour);
        let _spill = Spill::create(folder.path(), 10).unwrap();
        assert_eq!([old, young, foreign].map(|path| path.exists()), [false, true, true]);
    }

    #[test]
    fn a_folder_that_cannot_be_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Spill::create(&file.join("below"), 10).unwrap_err();
        assert!(error.to_string().starts_with(&format!("{}", file.join("below").display())), "{error}");
    }
}
