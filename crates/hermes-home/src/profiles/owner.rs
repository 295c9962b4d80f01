//! Giving what root makes to the one whose home it is.
//!
//! In a container people often arrive as root while the gateway runs as somebody
//! else. A profile that root leaves behind would lock its own gateway out.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::geteuid;

use super::ProfileError;
use super::tree::{self, Visit};

/// Gives a folder and all that is in it to the owner of `of`, if this is root and
/// that one is not.
pub(super) fn hand_over(folder: &Path, of: &Path) -> Result<(), ProfileError> {
    if !geteuid().is_root() {
        return Ok(());
    }
    for found in tree::walk(folder, |_| Visit::Enter)? {
        give(&folder.join(found.relative), of)?;
    }
    give(folder, of)
}

/// Gives one thing to the owner of `of`, likewise.
pub(super) fn give(path: &Path, of: &Path) -> Result<(), ProfileError> {
    let owner = of.metadata().map_err(ProfileError::at("examine", of))?;
    if !geteuid().is_root() || (owner.uid() == 0 && owner.gid() == 0) {
        return Ok(());
    }
    std::os::unix::fs::lchown(path, Some(owner.uid()), Some(owner.gid()))
        .map_err(ProfileError::at("set the owner of", path))
}
