//! The sticky profile: one name in the root's file `active_profile`.
//!
//! A name that makes no sense is an error and never "the default home then":
//! the next command would run with other credentials than the person believes.

use std::path::{Path, PathBuf};

use hermes_proto::ProfileName;

use super::{HomeError, HomeName};
use crate::files;

pub(crate) const FILE: &str = "active_profile";

pub(crate) fn path(root: &Path) -> PathBuf {
    root.join(FILE)
}

/// The active home; missing and empty mean the default one. Whether the profile
/// still exists is not looked at.
pub(crate) fn read(root: &Path) -> Result<HomeName, HomeError> {
    let path = path(root);
    let Some(bytes) = files::read(&path).map_err(HomeError::UnreadableActive)? else {
        return Ok(HomeName::Default);
    };
    let text = String::from_utf8_lossy(&bytes);
    match text.trim_end() {
        "" => Ok(HomeName::Default),
        name => name.parse().map_err(|source| HomeError::InvalidActive { path, source }),
    }
}

/// What the file holds when this profile is the active one.
pub(crate) fn content(name: &ProfileName) -> Vec<u8> {
    format!("{name}\n").into_bytes()
}

/// Whether the file's content makes this profile the active one.
pub(crate) fn names(content: Option<&[u8]>, name: &ProfileName) -> bool {
    content.is_some_and(|content| content.trim_ascii_end() == name.as_str().as_bytes())
}
