//! Giving a profile another name.

use std::io;

use hermes_proto::ProfileName;

use super::create::{is_present, refuse_existing};
use super::staging::{rename_new, sync};
use super::{ActiveProfile, ProfileError, guard};
use crate::files::{self, Change, FileError, Mode, UpdateError};
use crate::home::NamedBy;
use crate::home::active;
use crate::{HomeName, HomeRoot};

/// Renames a profile. The active profile follows under the lock of its file, so
/// that nobody sees it name what is no longer there.
pub fn rename(root: &HomeRoot, from: &ProfileName, to: &ProfileName) -> Result<ActiveProfile, ProfileError> {
    let source = root.path_of(&HomeName::from(from.clone()));
    let target = root.path_of(&HomeName::from(to.clone()));
    if !is_present(&source) {
        return Err(root.missing(from.clone(), NamedBy::CommandLine).into());
    }
    refuse_existing(root, to)?;
    let _stopped = guard::hold(root, from)?;

    let mut active_profile = ActiveProfile::Untouched;
    let mut renamed = false;
    let outcome = files::update(root.path(), active::FILE, Mode::Group, |current| {
        rename_new(&source, &target).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => ProfileError::Exists { name: to.clone() },
            _ => ProfileError::at("rename", &source)(error),
        })?;
        renamed = true;
        if !active::names(current, from) {
            return Ok(Change::Keep);
        }
        active_profile = ActiveProfile::Changed;
        Ok(Change::Replace(active::content(to)))
    });
    match outcome {
        Ok(()) => sync(&root.profiles_path()).map(|()| active_profile),
        Err(UpdateError::Refused(error)) => Err(error),
        // The active profile is changed already; only its durability is in doubt.
        Err(UpdateError::File(error @ FileError::NotSynced { .. })) => Err(ProfileError::Active(error)),
        Err(UpdateError::File(error)) => {
            if renamed && let Err(failure) = rename_new(&target, &source) {
                tracing::error!(%failure, profile = %to, "a rename could not be taken back");
            }
            Err(ProfileError::Active(error))
        }
    }
}
