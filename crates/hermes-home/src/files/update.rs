//! Read, decide, replace: one locked, atomic, durable step.

use std::path::Path;

use super::FileError;

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

/// The content of a file, `None` if there is none.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FileError::Io { step: "read", path: path.to_owned(), source }),
    }
}

/// Changes `name` (relative to `home`) under its lock: `decide` sees the current
/// content and says what becomes of it.
pub fn update<E>(
    home: &Path,
    name: &str,
    _mode: Mode,
    decide: impl FnOnce(Option<&[u8]>) -> Result<Change, E>,
) -> Result<(), UpdateError<E>> {
    let path = home.join(name);
    let current = read(&path)?;
    let outcome = match decide(current.as_deref()).map_err(UpdateError::Refused)? {
        Change::Keep => Ok(()),
        Change::Replace(bytes) => std::fs::write(&path, bytes),
        Change::Remove => std::fs::remove_file(&path),
    };
    outcome.map_err(|source| FileError::Io { step: "write", path, source }.into())
}
