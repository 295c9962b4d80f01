//! Folders under construction or demolition: `profiles/.<name>.<random>`.
//!
//! A name with a dot in front is never a profile, so whatever stops us in between
//! leaves nothing that looks like one. Each such folder is locked by the process
//! at work on it; one that nobody holds belongs to a dead attempt and is removed
//! by the next. The lock goes with the process, so a kill cannot leave it behind.

use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use hermes_proto::ProfileName;
use rustix::fs::{CWD, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::layout::PRIVATE_FOLDER;
use super::tree::{self, Kind, Visit};
use super::{ProfileError, layout, owner};
use crate::HomeRoot;

const ATTEMPTS: usize = 16;
const RANDOM_DIGITS: usize = 16;
/// Up to this many files are synced one by one; more of them by syncing the disk.
const FEW: usize = 256;

/// A profile under construction. Dropped before it is published, it is gone.
#[derive(Debug)]
#[must_use = "dropping it removes what was built"]
pub(super) struct Staging {
    profiles: PathBuf,
    path: PathBuf,
    _lock: File,
    published: bool,
}

impl Staging {
    /// A new empty folder, after the leftovers of dead attempts have been removed.
    pub(super) fn begin(root: &HomeRoot, label: &str) -> Result<Self, ProfileError> {
        root.create()?;
        let profiles = root.profiles_path();
        if create_private(&profiles)? == Made::Now {
            owner::hand_over(&profiles, root.path())?;
        }
        sweep(&profiles);
        for _ in 0..ATTEMPTS {
            let path = profiles.join(hidden(label));
            create_private(&path)?;
            // Another process may sweep in the moment before the lock is held.
            if let Some(lock) = lock_in_place(&path)? {
                return Ok(Self { profiles, path, _lock: lock, published: false });
            }
        }
        let busy = io::Error::new(io::ErrorKind::ResourceBusy, "others keep removing it");
        Err(ProfileError::at("create a folder in", &profiles)(busy))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Completes the layout and makes it a profile in one durable step.
    pub(super) fn publish(mut self, name: &ProfileName) -> Result<PathBuf, ProfileError> {
        layout::complete(&self.path)?;
        owner::hand_over(&self.path, &self.profiles)?;
        sync_tree(&self.path)?;
        let place = self.profiles.join(name.as_str());
        rename_new(&self.path, &place).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => ProfileError::Exists { name: name.clone() },
            _ => ProfileError::at("create", &place)(error),
        })?;
        self.published = true;
        sync(&self.profiles)?;
        Ok(place)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.published {
            return;
        }
        if let Err(error) = tree::remove(&self.path) {
            // It is hidden, and the next attempt removes it.
            tracing::warn!(%error, "a folder under construction was left behind");
        }
    }
}

/// Takes a folder of `profiles/` out of sight in one step, then removes it.
pub(super) fn demolish(profiles: &Path, name: &ProfileName) -> Result<(), ProfileError> {
    let path = profiles.join(name.as_str());
    let lock = open_folder(&path).map_err(ProfileError::at("open", &path))?;
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive)
        .map_err(|error| ProfileError::at("lock", &path)(error.into()))?;
    let doomed = profiles.join(hidden(name.as_str()));
    std::fs::rename(&path, &doomed).map_err(ProfileError::at("remove", &path))?;
    sync(profiles)?;
    tree::remove(&doomed)
}

/// Renames without ever replacing; `AlreadyExists` if something is in the way.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // A file system that cannot do both in one step.
        Err(Errno::INVAL | Errno::NOSYS) => match to.symlink_metadata() {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => std::fs::rename(from, to),
        },
        outcome => Ok(outcome?),
    }
}

/// Waits until a file or a folder's list of names is on the disk.
pub(super) fn sync(path: &Path) -> Result<(), ProfileError> {
    File::open(path).and_then(|opened| opened.sync_all()).map_err(ProfileError::at("sync", path))
}

/// Random letters for a name that nobody else uses.
pub(super) fn random_suffix() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

fn hidden(label: &str) -> String {
    format!(".{label}.{}", random_suffix())
}

/// Whether a name of `profiles/` has the shape that [`hidden`] gives.
fn is_hidden(name: &str) -> bool {
    let parts = name.strip_prefix('.').and_then(|rest| rest.rsplit_once('.'));
    parts.is_some_and(|(label, random)| {
        label.parse::<ProfileName>().is_ok()
            && random.len() == RANDOM_DIGITS
            && random.chars().all(|digit| digit.is_ascii_hexdigit())
    })
}

#[derive(PartialEq, Eq)]
enum Made {
    Now,
    Before,
}

fn create_private(path: &Path) -> Result<Made, ProfileError> {
    match DirBuilder::new().mode(PRIVATE_FOLDER).create(path) {
        Ok(()) => Ok(Made::Now),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(Made::Before),
        Err(error) => Err(ProfileError::at("create", path)(error)),
    }
}

/// The lock of a folder that was just made; `None` if it was swept away before.
fn lock_in_place(path: &Path) -> Result<Option<File>, ProfileError> {
    let folder = match open_folder(path) {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ProfileError::at("open", path)(error)),
    };
    match rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(None),
        Err(error) => return Err(ProfileError::at("lock", path)(error.into())),
    }
    let held = folder.metadata().map_err(ProfileError::at("examine", path))?;
    let in_place = path.symlink_metadata().is_ok_and(|there| (there.dev(), there.ino()) == (held.dev(), held.ino()));
    Ok(in_place.then_some(folder))
}

fn open_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Removes what dead attempts left. Nothing depends on it, so failures are only logged.
fn sweep(profiles: &Path) {
    let Ok(entries) = std::fs::read_dir(profiles) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_hidden)) {
        let path = entry.path();
        let Ok(folder) = open_folder(&path) else { continue };
        if rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        if let Err(error) = tree::remove(&path) {
            tracing::warn!(%error, "the leftover of a dead attempt cannot be removed");
        }
    }
}

fn sync_tree(base: &Path) -> Result<(), ProfileError> {
    let mut found = tree::walk(base, |_| Visit::Enter)?;
    found.retain(|entry| matches!(entry.kind, Kind::File | Kind::Folder));
    // A file that its own mode closes to us cannot be synced alone.
    if found.len() <= FEW && found.iter().all(|entry| sync(&base.join(&entry.relative)).is_ok()) {
        return sync(base);
    }
    let synced = File::open(base).and_then(|folder| Ok(rustix::fs::syncfs(folder)?));
    synced.map_err(ProfileError::at("sync", base))
}

#[cfg(test)]
mod tests {
    use super::{hidden, is_hidden};

    #[test]
    fn only_our_own_hidden_names_are_swept() {
        assert!(is_hidden(&hidden("work")));
        for name in ["work", ".git", ".work", ".work.bak", "..0123456789abcdef", ".Work.0123456789abcdef", ".lock"] {
            assert!(!is_hidden(name), "{name}");
        }
    }
}
