//! Where a command starts.
//!
//! A directory is opened once and entered by its descriptor, so that it cannot change between
//! the check and the use. One that the session was in and that vanished is replaced by its
//! nearest ancestor, which is said; one that a command was explicitly given is not replaced.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, accessat, open};
use rustix::io::Errno;

use super::Variables;

/// An opened directory.
#[derive(Debug)]
pub(crate) struct Entered {
    pub(crate) descriptor: OwnedFd,
    pub(crate) path: PathBuf,
    /// What the person should know, if it is not the one that was wanted.
    pub(crate) note: Option<String>,
}

/// A directory that a command was given cannot be entered.
#[derive(Debug, thiserror::Error)]
#[error("{}: working directory cannot be entered: {source}", .path.display())]
pub(crate) struct DirectoryError {
    pub(crate) path: PathBuf,
    source: io::Error,
}

/// The session's directory, or its nearest ancestor that can be entered.
pub(crate) fn enter_session(wanted: &Path) -> Result<Entered, DirectoryError> {
    let mut first_error = None;
    for path in wanted.ancestors() {
        match open_directory(path) {
            Ok(descriptor) => {
                let note = first_error.map(|error: Errno| {
                    let (wanted, path) = (wanted.display(), path.display());
                    format!("working directory {wanted} cannot be entered ({error}); using {path}")
                });
                return Ok(Entered { descriptor, path: path.to_owned(), note });
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    let source = first_error.unwrap_or(Errno::NOENT).into();
    Err(DirectoryError { path: wanted.to_owned(), source })
}

/// A directory that this command alone was given: absolute, from the home (`~`), or from where
/// the session is.
pub(crate) fn enter_explicit(given: &str, session: &Path, environment: &Variables) -> Result<Entered, DirectoryError> {
    let home = environment.get(b"HOME".as_slice()).map(|home| Path::new(OsStr::from_bytes(home)));
    let path = match (given.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(below), Some(home)) if below.starts_with('/') => home.join(below.trim_start_matches('/')),
        _ => session.join(given),
    };
    match open_directory(&path) {
        Ok(descriptor) => Ok(Entered { descriptor, path, note: None }),
        Err(error) => Err(DirectoryError { path, source: error.into() }),
    }
}

fn open_directory(path: &Path) -> Result<OwnedFd, Errno> {
    let descriptor = open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    // Opening by path needs no right to the directory itself; entering does.
    accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS)?;
    Ok(descriptor)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Variables, enter_explicit, enter_session};

    #[test]
    fn a_vanished_directory_is_replaced_and_said() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(enter_session(&deep).unwrap().note, None);
        fs::remove_dir_all(folder.path().join("a")).unwrap();
        let entered = enter_session(&deep).unwrap();
        assert_eq!(entered.path, folder.path());
        let note = entered.note.unwrap();
        assert!(note.contains(&format!("{} cannot be entered", deep.display())), "{note}");
        assert!(note.ends_with(&format!("using {}", folder.path().display())), "{note}");
    }

    #[test]
    fn a_file_is_not_a_directory() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(enter_session(file.path()).unwrap().path, file.path().parent().unwrap());
    }

    #[test]
    fn an_explicit_directory_is_that_one_or_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let home: Variables =
            [(b"HOME".to_vec(), folder.path().as_os_str().as_encoded_bytes().to_vec())].into_iter().collect();
        let check = |given: &str, session: &Path, expected: Option<&Path>| {
            let entered = enter_explicit(given, session, &home).ok().map(|entered| entered.path);
            assert_eq!(entered.as_deref(), expected, "{given}");
        };
        let sub = folder.path().join("sub");
        check(sub.to_str().unwrap(), Path::new("/"), Some(&sub));
        check("sub", folder.path(), Some(&sub));
        check("~/sub", Path::new("/"), Some(&sub));
        check("~", Path::new("/"), Some(folder.path()));
        check("gone", folder.path(), None);
        check("~stranger", folder.path(), None);
    }
}
