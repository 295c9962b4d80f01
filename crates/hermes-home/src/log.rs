//! The log of a home: appended by several processes, bounded, rotated.
//!
//! Logs are written by whatever goes wrong, so a loop of errors must not fill the
//! disk, and two programs on one home must not rotate each other's fresh file away:
//! whoever finds the file too long takes a lock on it and looks again first.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{FlockOperation, flock};

use crate::files;

/// A file may grow to this size before it is rotated.
const LIMIT: u64 = 5_000_000;
/// How many older files (`name.1` …) are kept.
const KEPT: u32 = 3;
/// A longer entry is cut.
const LONGEST_ENTRY: usize = 64 * 1024;

/// One log file of a home. Opened by the first entry, not before.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    limit: u64,
    open: Mutex<Option<File>>,
}

impl LogFile {
    /// The log `logs/<name>` of the home at `home`.
    pub fn new(home: &Path, name: &str) -> Self {
        Self { path: home.join("logs").join(name), limit: LIMIT, open: Mutex::new(None) }
    }

    /// Appends one entry (with its newline) in a single write.
    pub fn append(&self, entry: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut file = self.current(open.take())?;
        if file.metadata()?.len() >= self.limit {
            file = self.rotate(&file)?;
        }
        let outcome = write_bounded(&file, entry);
        *open = Some(file);
        outcome
    }

    /// The open file if it still is the one under our name, else a new handle.
    fn current(&self, open: Option<File>) -> io::Result<File> {
        match open {
            Some(file) if self.is_current(&file)? => Ok(file),
            _ => self.open(),
        }
    }

    fn is_current(&self, file: &File) -> io::Result<bool> {
        let ours = file.metadata()?;
        Ok(std::fs::symlink_metadata(&self.path)
            .is_ok_and(|theirs| theirs.ino() == ours.ino() && theirs.dev() == ours.dev()))
    }

    fn open(&self) -> io::Result<File> {
        let open = || {
            let no_link = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
            OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(no_link).open(&self.path)
        };
        match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = self.path.parent().unwrap_or(Path::new("/"));
                files::create_private_dir(folder).map_err(io::Error::other)?;
                open()
            }
            other => other,
        }
    }

    /// Moves the full file aside, unless another process has just done so.
    fn rotate(&self, full: &File) -> io::Result<File> {
        flock(full, FlockOperation::LockExclusive)?;
        if self.is_current(full)? {
            for number in (1..KEPT).rev() {
                match std::fs::rename(self.older(number), self.older(number + 1)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            std::fs::rename(&self.path, self.older(1))?;
        }
        self.open()
    }

    fn older(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    }
}

fn write_bounded(mut file: &File, entry: &[u8]) -> io::Result<()> {
    if entry.len() <= LONGEST_ENTRY {
        return file.write_all(entry);
    }
    let cut = entry.len() - LONGEST_ENTRY;
    let mut bounded = entry[..LONGEST_ENTRY].to_vec();
    bounded.extend_from_slice(format!(" [{cut} bytes cut]\n").as_bytes());
    file.write_all(&bounded)
}

#[cfg(test)]
mod tests {
    use super::{KEPT, LONGEST_ENTRY, LogFile};
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    fn log(home: &Path, limit: u64) -> LogFile {
        LogFile { limit, ..LogFile::new(home, "agent.log") }
    }

    fn written(home: &Path) -> Vec<PathBuf> {
        let mut files: Vec<_> =
            std::fs::read_dir(home.join("logs")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    #[test]
    fn nothing_is_created_before_the_first_entry_and_then_it_is_private() {
        let home = tempfile::tempdir().unwrap();
        let log = log(home.path(), 1000);
        assert!(!home.path().join("logs").exists());
        log.append(b"one\n").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&home.path().join("logs")), 0o700);
        assert_eq!(mode(&home.path().join("logs/agent.log")), 0o600);
    }

    #[test]
    fn a_flood_stays_within_its_bound_and_keeps_the_newest() {
        let home = tempfile::tempdir().unwrap();
        let log = log(home.path(), 1000);
        for number in 0..5000 {
            log.append(format!("entry {number:05}\n").as_bytes()).unwrap();
        }
        let files = written(home.path());
        assert_eq!(files.len(), 1 + KEPT as usize);
        for file in &files {
            assert!(std::fs::metadata(file).unwrap().len() <= 1012, "{}", file.display());
        }
        let newest = std::fs::read_to_string(&files[0]).unwrap();
        assert!(newest.ends_with("entry 04999\n"), "{newest}");
    }

    #[test]
    fn an_overlong_entry_is_cut_and_says_so() {
        let home = tempfile::tempdir().unwrap();
        log(home.path(), 1000).append(&vec![b'x'; LONGEST_ENTRY + 7]).unwrap();
        let text = std::fs::read_to_string(home.path().join("logs/agent.log")).unwrap();
        assert!(text.ends_with("x [7 bytes cut]\n"), "{}", &text[text.len() - 40..]);
    }

    /// Each handle stands for a process: it has its own descriptor and its own idea of the file.
    #[test]
    fn writers_that_rotate_at_once_lose_no_entry_of_the_newest_files() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let home = home.path();
                scope.spawn(move || {
                    let log = log(home, 20_000);
                    for number in 0..1000 {
                        log.append(format!("writer {writer} entry {number:04}\n").as_bytes()).unwrap();
                    }
                });
            }
        });
        let text: String = written(home.path()).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        // 4000 entries of 20 bytes fit into four files of 20,000 bytes.
        for writer in 0..4 {
            for number in 0..1000 {
                let entry = format!("writer {writer} entry {number:04}\n");
                assert!(text.contains(&entry), "lost: {entry}");
            }
        }
    }

    #[test]
    fn a_link_in_place_of_the_log_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let outside = home.path().join("outside");
        std::fs::create_dir(home.path().join("logs")).unwrap();
        std::os::unix::fs::symlink(&outside, home.path().join("logs/agent.log")).unwrap();
        log(home.path(), 1000).append(b"x\n").unwrap_err();
        assert!(!outside.exists());
    }
}
