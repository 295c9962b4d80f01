//! What can be said about a home without reading anything secret.

use std::path::{Path, PathBuf};

use super::ProfileError;
use super::tree::{self, Kind, Visit};
use crate::home::NamedBy;
use crate::{HomeName, HomeRoot};

/// A home as it lies on the disk.
#[derive(Debug)]
pub struct Description {
    pub path: PathBuf,
    /// Bytes on disk; of the default home without its profiles.
    pub size: u64,
    /// Files counted for `size`.
    pub files: u64,
    /// What is in the home's folder, sorted; folders end with a slash.
    pub entries: Vec<String>,
}

/// Describes a home that exists.
pub fn describe(root: &HomeRoot, name: &HomeName) -> Result<Description, ProfileError> {
    let path = root.path_of(name);
    if let HomeName::Profile(profile) = name
        && !path.is_dir()
    {
        return Err(root.missing(profile.clone(), NamedBy::CommandLine).into());
    }
    let profiles = root.profiles_path();
    let others = |relative: &Path| path.join(relative).starts_with(&profiles) && relative.components().count() > 1;
    let visit =
        |relative: &Path| if *name == HomeName::Default && others(relative) { Visit::Skip } else { Visit::Enter };

    let found = tree::walk(&path, visit)?;
    let top = found.iter().filter(|entry| entry.relative.components().count() == 1);
    let mut entries: Vec<String> = top
        .map(|entry| match entry.kind {
            Kind::Folder => format!("{}/", entry.relative.display()),
            _ => entry.relative.display().to_string(),
        })
        .collect();
    entries.sort();
    Ok(Description {
        size: found.iter().map(|entry| entry.on_disk).sum(),
        files: found.iter().filter(|entry| entry.kind == Kind::File).count() as u64,
        path,
        entries,
    })
}
