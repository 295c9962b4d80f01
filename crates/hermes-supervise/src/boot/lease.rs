//! Which container has a volume. Two that both start its gateways would answer every message
//! twice; the second one waits to be asked.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock, ftruncate};
use rustix::io::Errno;

/// In the data folder, held as long as the container runs.
pub const FILE: &str = ".container.lock";

/// Whose the volume is.
#[derive(Debug)]
pub enum Lease {
    /// This container's, as long as the file is open. Without a file it cannot be told and is
    /// taken to be so.
    Ours(Option<File>),
    /// The container of this name has it.
    Theirs(String),
}

impl Lease {
    /// Takes the lease of the volume at `data`, or tells who has it.
    pub fn take(data: &Path, container: &str) -> io::Result<Self> {
        let mut file = open(data)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                ftruncate(&file, 0)?;
                writeln!(file, "{container}")?;
                Ok(Self::Ours(Some(file)))
            }
            Err(Errno::WOULDBLOCK) => Ok(Self::Theirs(owner(&mut file))),
            Err(error) => Err(error.into()),
        }
    }

    /// Tells whose it is without taking it, for those who are not the keeper of it.
    pub fn look(data: &Path, container: &str) -> Self {
        let Ok(mut file) = open(data) else { return Self::Ours(None) };
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => {
                let owner = owner(&mut file);
                if owner == container { Self::Ours(None) } else { Self::Theirs(owner) }
            }
            _ => Self::Ours(None),
        }
    }
}

/// The name of this container, as Docker gives it.
pub fn container_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn open(data: &Path) -> io::Result<File> {
    let no_link = OFlags::NOFOLLOW.bits().cast_signed();
    OpenOptions::new().read(true).write(true).create(true).mode(0o600).custom_flags(no_link).open(data.join(FILE))
}

/// The name in the file: one word, whatever somebody wrote there.
fn owner(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.take(256).read_to_string(&mut text);
    let word: String = text.trim().chars().filter(|c| c.is_ascii_alphanumeric() || "-._".contains(*c)).collect();
    if word.is_empty() { "unknown".to_owned() } else { word }
}

#[cfg(test)]
mod tests {
    use super::{FILE, Lease};

    #[test]
    fn one_container_has_a_volume_and_the_other_is_told_which() {
        let data = tempfile::tempdir().unwrap();
        let first = Lease::take(data.path(), "abc123").unwrap();
        assert!(matches!(first, Lease::Ours(Some(_))));
        let second = Lease::take(data.path(), "def456").unwrap();
        assert!(matches!(&second, Lease::Theirs(owner) if owner == "abc123"), "{second:?}");
        assert!(matches!(Lease::look(data.path(), "abc123"), Lease::Ours(None)), "its own services may start");
        assert!(matches!(Lease::look(data.path(), "def456"), Lease::Theirs(_)));
        drop(first);
        assert!(matches!(Lease::take(data.path(), "def456").unwrap(), Lease::Ours(Some(_))));
        assert_eq!(std::fs::read_to_string(data.path().join(FILE)).unwrap(), "def456\n");
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let data = tempfile::tempdir().unwrap();
        let outside = data.path().join("outside");
        std::os::unix::fs::symlink(&outside, data.path().join(FILE)).unwrap();
        Lease::take(data.path(), "abc").unwrap_err();
        assert!(!outside.exists());
    }
}
