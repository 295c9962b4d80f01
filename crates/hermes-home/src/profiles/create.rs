//! A new profile: empty, or with the settings of another home.

use std::path::{Path, PathBuf};

use hermes_proto::ProfileName;

use super::ProfileError;
use super::clone::{self, NotCopied};
use super::staging::Staging;
use crate::{Home, HomeName, HomeRoot};

/// Where a new profile's settings come from.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    Defaults,
    Home(&'a Home),
}

/// A profile that now exists.
#[derive(Debug)]
pub struct Created {
    pub path: PathBuf,
    /// What a clone had to leave out.
    pub not_copied: Vec<NotCopied>,
}

/// Makes a profile, all of it or nothing.
pub fn create(root: &HomeRoot, name: &ProfileName, source: Source<'_>) -> Result<Created, ProfileError> {
    refuse_existing(root, name)?;
    let staging = Staging::begin(root, name.as_str())?;
    let not_copied = match source {
        Source::Defaults => Vec::new(),
        Source::Home(home) => clone::copy_settings(home.path(), staging.path())?,
    };
    Ok(Created { path: staging.publish(name)?, not_copied })
}

/// An early answer; the publishing rename is what makes it certain.
pub(super) fn refuse_existing(root: &HomeRoot, name: &ProfileName) -> Result<(), ProfileError> {
    if is_present(&root.path_of(&HomeName::from(name.clone()))) {
        return Err(ProfileError::Exists { name: name.clone() });
    }
    Ok(())
}

/// Whether anything is there, a link that leads nowhere included.
pub(super) fn is_present(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
