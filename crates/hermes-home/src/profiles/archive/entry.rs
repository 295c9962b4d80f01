//! Where an entry of an archive belongs, from a name that may say anything.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::ArchiveError;

/// A name taken apart: the archive's folder, and the path below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) top: OsString,
    /// Only ordinary names; empty for the folder itself.
    pub(super) relative: PathBuf,
}

/// The place of an entry; `None` for `./`, which says nothing.
pub(super) fn place(name: &[u8]) -> Result<Option<Place>, ArchiveError> {
    let entry = path(name);
    if name.contains(&0) {
        return Err(ArchiveError::Nul { entry });
    }
    let mut parts = Vec::new();
    for component in entry.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part),
            Component::Prefix(_) | Component::RootDir | Component::ParentDir => {
                return Err(ArchiveError::Outside { entry });
            }
        }
    }
    let Some((top, below)) = parts.split_first() else {
        return Ok(None);
    };
    Ok(Some(Place { top: (*top).to_owned(), relative: below.iter().collect() }))
}

/// A name as a path, for messages and for link targets.
pub(super) fn path(name: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(name)).to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ArchiveError, place};

    #[test]
    fn ordinary_names_have_a_place() {
        let check = |name: &str, top: &str, relative: &str| {
            let place = place(name.as_bytes()).unwrap().unwrap();
            assert_eq!((place.top.to_str().unwrap(), place.relative.as_path()), (top, Path::new(relative)), "{name}");
        };
        check("work", "work", "");
        check("work/", "work", "");
        check("./work//a/./b", "work", "a/b");
        check("work/..a", "work", "..a");
    }

    #[test]
    fn names_that_say_nothing_have_none() {
        for name in ["", ".", "./", "././"] {
            assert_eq!(place(name.as_bytes()).unwrap(), None, "{name}");
        }
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for name in ["/etc/passwd", "..", "../x", "work/../../x", "work/..", "work/a/../../../x"] {
            let error = place(name.as_bytes()).unwrap_err();
            assert!(matches!(error, ArchiveError::Outside { .. }), "{name}: {error}");
        }
        let error = place(b"work/a\0b").unwrap_err();
        assert!(matches!(error, ArchiveError::Nul { .. }), "{error}");
    }
}
