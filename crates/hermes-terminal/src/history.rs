//! What was typed before, in the home's `.hermes_history`. It holds whatever people paste: only its owner may read it.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use hermes_home::Home;
use reedline::FileBackedHistory;

const FILE: &str = ".hermes_history";
const ENTRIES: usize = 5000;
const PRIVATE: u32 = 0o600;

/// The history, and what is to be said if it cannot be kept.
pub(crate) fn open(home: &Home) -> (FileBackedHistory, Option<String>) {
    let path = home.path().join(FILE);
    match prepare(&path).and_then(|()| FileBackedHistory::with_file(ENTRIES, path.clone()).map_err(io::Error::other)) {
        Ok(history) => (history, None),
        Err(error) => {
            let said = format!("what you type is not remembered: {}: {error}", path.display());
            (FileBackedHistory::default(), Some(said))
        }
    }
}

/// Creates the file private, and makes it so if it is not. A link is not followed: it may lead out of the home.
fn prepare(path: &Path) -> io::Result<()> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = OpenOptions::new().create(true).append(true).mode(PRIVATE).custom_flags(no_follow).open(path)?;
    if file.metadata()?.permissions().mode() & 0o777 != PRIVATE {
        file.set_permissions(fs::Permissions::from_mode(PRIVATE))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::prepare;

    #[test]
    fn the_file_is_private_and_stays_in_the_home() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        for mode in [None, Some(0o644)] {
            if let Some(mode) = mode {
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            }
            prepare(&path).unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(prepare(&link).is_err());
    }
}
