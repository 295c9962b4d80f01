//! Read, decide, replace: one locked, atomic, durable step.

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use hermes_proto::{Explain, Fault};
use rustix::fs::Mode as Bits;

use super::FileError;
use super::lock::Lock;
use super::read::{Current, Found, read_at};
use super::replace::{remove, replace};
use super::temporary;
use super::walk::Place;

/// How long a writer waits for the one before it.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a file may turn into a link between being found and being locked.
const ATTEMPTS: usize = 8;

/// Permission bits for a file that does not exist yet; an existing file keeps its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// 0600: credentials.
    Private,
    /// 0640: configuration without secrets.
    Group,
}

/// What an update decided after it saw the current content.
#[derive(Debug)]
pub enum Change {
    Keep,
    Replace(Vec<u8>),
    Remove,
}

/// An update that did not happen: the file's fault, or the caller's decision.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError<E> {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Refused(E),
}

/// Changes `name` (relative to `home`) under its lock: `decide` sees the current
/// content and says what becomes of it. When this returns, the change is on disk.
///
/// The name may lead through folders, which are created private when missing, and
/// through links as long as they end inside the home; the link stays, its target is
/// replaced. `decide` must not update the same file again: it would wait for itself.
pub fn update<E>(
    home: &Path,
    name: &str,
    mode: Mode,
    decide: impl FnOnce(Option<&[u8]>) -> Result<Change, E>,
) -> Result<(), UpdateError<E>> {
    let locked = Locked::open(home, name)?;
    let current = locked.current.as_ref();
    let bytes = current.map(|current| current.bytes.as_slice());
    match decide(bytes).map_err(UpdateError::Refused)? {
        Change::Keep => {}
        Change::Replace(new) if bytes == Some(&new) => temporary::remove_leftovers(&locked.place)?,
        Change::Replace(new) => {
            replace(&locked.place, current, mode, &new)?;
            tracing::info!(name, bytes = new.len(), "written");
        }
        Change::Remove => {
            remove(&locked.place)?;
            tracing::info!(name, "removed");
        }
    }
    Ok(())
}

/// A file of the home that nobody else changes as long as this exists.
struct Locked {
    place: Place,
    current: Option<Current>,
    _lock: Lock,
}

impl Locked {
    fn open(home: &Path, name: &str) -> Result<Self, FileError> {
        for _ in 0..ATTEMPTS {
            let place = Place::find(home, name)?;
            let lock = Lock::take(&place, PATIENCE)?;
            let current = match read_at(&place)? {
                Found::File(current) => Some(current),
                Found::Nothing => None,
                Found::Link => continue,
            };
            return Ok(Self { place, current, _lock: lock });
        }
        Err(FileError::Unstable { path: home.join(name) })
    }
}

impl Mode {
    pub(super) fn bits(self) -> Bits {
        match self {
            Self::Private => Bits::RUSR | Bits::WUSR,
            Self::Group => Bits::RUSR | Bits::WUSR | Bits::RGRP,
        }
    }
}

impl<E: Explain + 'static> Explain for UpdateError<E> {
    fn fault(&self) -> Fault {
        match self {
            Self::File(error) => error.fault(),
            Self::Refused(error) => error.fault(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Refused(error) => error.hint(),
        }
    }
}

impl From<UpdateError<Infallible>> for FileError {
    fn from(error: UpdateError<Infallible>) -> Self {
        match error {
            UpdateError::File(error) => error,
            UpdateError::Refused(never) => match never {},
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::{Change, Found, Lock, Mode, PATIENCE, Place, read_at, update};
    use crate::files::lock::until_waited_for;

    #[test]
    fn a_file_that_became_a_link_is_not_followed_but_found_anew() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path();
        let (file, target) = (path.join("swapped.txt"), path.join("target.txt"));
        std::fs::write(&file, "old").unwrap();
        let place = Place::find(path, "swapped.txt").unwrap();
        let lock = Lock::take(&place, PATIENCE).unwrap();
        std::thread::scope(|scope| {
            let replace = |current: Option<&[u8]>| {
                assert_eq!(current, Some(b"target".as_slice()));
                Ok::<_, Infallible>(Change::Replace(b"new".to_vec()))
            };
            let writer = scope.spawn(move || update(path, "swapped.txt", Mode::Private, replace));
            until_waited_for("swapped.lock");
            std::fs::write(&target, "target").unwrap();
            std::fs::remove_file(&file).unwrap();
            std::os::unix::fs::symlink("target.txt", &file).unwrap();
            assert!(matches!(read_at(&place).unwrap(), Found::Link));
            drop(lock);
            writer.join().unwrap().unwrap();
        });
        assert!(file.is_symlink());
        assert_eq!(std::fs::read_to_string(target).unwrap(), "new");
    }
}
