//! A file of secrets that others than its owner may read.
//!
//! Files that were made by hand or by an older program keep the mode they have
//! when they are changed, so the looser ones have to be told.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::dotenv;

/// Permission bits of the group and of all others.
const NOT_THE_OWNER: u32 = 0o077;

/// The warning that a file with secrets is open to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    path: PathBuf,
    mode: u32,
}

impl Exposure {
    /// The warning, if it is due. A file that cannot be looked at gives none:
    /// reading it is what reports that.
    pub fn of(path: &Path) -> Option<Self> {
        let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o7777;
        (mode & NOT_THE_OWNER != 0).then(|| Self { path: path.to_owned(), mode })
    }

    pub fn mode(&self) -> u32 {
        self.mode
    }

    /// The command that mends it.
    pub fn hint(&self) -> String {
        format!("chmod 600 {}", dotenv::quote(&self.path.to_string_lossy()))
    }
}

impl fmt::Display for Exposure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is open to others than its owner (mode {:04o})", self.path.display(), self.mode)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::Exposure;

    #[test]
    fn only_a_file_that_others_may_use_is_exposed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.env");
        assert_eq!(Exposure::of(&path), None);
        std::fs::write(&path, "A=1").unwrap();
        for (mode, exposed) in [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o622, true)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let found = Exposure::of(&path);
            assert_eq!(found.as_ref().map(Exposure::mode), exposed.then_some(mode), "{mode:o}");
        }
        let told = Exposure::of(&path).unwrap();
        assert!(told.to_string().ends_with("(mode 0622)"), "{told}");
        assert_eq!(told.hint(), format!("chmod 600 '{}'", path.display()));
    }
}
