//! Names of files inside the home, and which of them are taken by us.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

use super::FileError;
use super::temporary;

const LOCK: &str = "lock";

/// Why a text does not name a file of the home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameProblem {
    Empty,
    Absolute,
    /// It contains `..`.
    Upward,
    /// It contains `.`, or nothing, between its slashes.
    EmptyPart,
    Nul,
    /// It is a lock or a temporary file of another file.
    Reserved,
}

impl fmt::Display for NameProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "it is empty",
            Self::Absolute => "it is absolute",
            Self::Upward => "it contains ..",
            Self::EmptyPart => "it contains an empty part or a lone dot",
            Self::Nul => "it contains a nul character",
            Self::Reserved => "locks and temporary files have such names",
        })
    }
}

/// The parts of a name relative to the home, each an ordinary entry's name.
pub(super) fn parts(name: &str) -> Result<impl DoubleEndedIterator<Item = OsString>, FileError> {
    match problem(name) {
        Some(problem) => Err(FileError::Name { name: name.to_owned(), problem }),
        None => Ok(name.split('/').map(OsString::from)),
    }
}

fn problem(name: &str) -> Option<NameProblem> {
    if name.is_empty() {
        return Some(NameProblem::Empty);
    }
    if name.starts_with('/') {
        return Some(NameProblem::Absolute);
    }
    if name.contains('\0') {
        return Some(NameProblem::Nul);
    }
    name.split('/').find_map(|part| match part {
        ".." => Some(NameProblem::Upward),
        "" | "." => Some(NameProblem::EmptyPart),
        _ => None,
    })
}

/// The name of the lock beside a file.
pub(super) fn lock_of(file: &OsStr) -> OsString {
    Path::new(file).with_extension(LOCK).into_os_string()
}

/// Whether an entry of this name is a lock or a temporary file.
pub(super) fn is_reserved(file: &OsStr) -> bool {
    Path::new(file).extension() == Some(OsStr::new(LOCK)) || temporary::is_temporary(file)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{NameProblem, is_reserved, lock_of, problem};

    #[test]
    fn only_names_beneath_the_home_are_accepted() {
        for (name, expected) in [
            ("auth.json", None),
            (".env", None),
            ("memories/MEMORY.md", None),
            ("...", None),
            ("a b\n", None),
            ("", Some(NameProblem::Empty)),
            ("/etc/passwd", Some(NameProblem::Absolute)),
            ("..", Some(NameProblem::Upward)),
            ("a/../../b", Some(NameProblem::Upward)),
            ("../a", Some(NameProblem::Upward)),
            (".", Some(NameProblem::EmptyPart)),
            ("./a", Some(NameProblem::EmptyPart)),
            ("a//b", Some(NameProblem::EmptyPart)),
            ("a/", Some(NameProblem::EmptyPart)),
            ("a\0b", Some(NameProblem::Nul)),
        ] {
            assert_eq!(problem(name), expected, "{name:?}");
        }
    }

    #[test]
    fn a_lock_has_the_files_name_with_another_extension() {
        for (file, lock) in [
            ("auth.json", "auth.lock"),
            ("config.yaml", "config.lock"),
            (".env", ".env.lock"),
            ("active_profile", "active_profile.lock"),
            ("a.b.c", "a.b.lock"),
        ] {
            assert_eq!(lock_of(OsStr::new(file)), OsStr::new(lock));
            assert!(is_reserved(OsStr::new(lock)));
            assert!(!is_reserved(OsStr::new(file)));
        }
    }
}
