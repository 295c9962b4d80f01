//! Removing a profile, and nothing but that profile.

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use hermes_proto::ProfileName;

use super::create::is_present;
use super::staging::{demolish, sync};
use super::{ActiveProfile, ProfileError, guard};
use crate::files::{self, Change, Mode, UpdateError};
use crate::home::NamedBy;
use crate::home::active;
use crate::{HomeName, HomeRoot};

/// A profile that is no more.
#[derive(Debug)]
pub struct Deleted {
    pub removed: Removed,
    pub active: ActiveProfile,
}

/// What was removed from the disk.
#[derive(Debug, PartialEq, Eq)]
pub enum Removed {
    Folder,
    /// The profile was a link; what it leads to is untouched.
    Link {
        target: PathBuf,
    },
}

/// Deletes a profile. It is out of sight at once, and then removed.
pub fn delete(root: &HomeRoot, name: &ProfileName) -> Result<Deleted, ProfileError> {
    let path = root.path_of(&HomeName::from(name.clone()));
    if !is_present(&path) {
        return Err(root.missing(name.clone(), NamedBy::CommandLine).into());
    }
    let _stopped = guard::hold(root, name)?;
    // First, so that no crash leaves it naming what is gone.
    let active = forget_active(root, name)?;
    let removed = match std::fs::read_link(&path) {
        Ok(target) => remove_link(root, &path, target)?,
        Err(_) => {
            demolish(&root.profiles_path(), name)?;
            Removed::Folder
        }
    };
    Ok(Deleted { removed, active })
}

fn remove_link(root: &HomeRoot, path: &Path, target: PathBuf) -> Result<Removed, ProfileError> {
    std::fs::remove_file(path).map_err(ProfileError::at("remove", path))?;
    sync(&root.profiles_path())?;
    Ok(Removed::Link { target })
}

fn forget_active(root: &HomeRoot, name: &ProfileName) -> Result<ActiveProfile, ProfileError> {
    let mut active_profile = ActiveProfile::Untouched;
    let outcome = files::update(root.path(), active::FILE, Mode::Group, |current| {
        if !active::names(current, name) {
            return Ok::<_, Infallible>(Change::Keep);
        }
        active_profile = ActiveProfile::Changed;
        Ok(Change::Remove)
    });
    match outcome {
        Ok(()) => Ok(active_profile),
        Err(UpdateError::File(error)) => Err(ProfileError::Active(error)),
        Err(UpdateError::Refused(never)) => match never {},
    }
}
