//! Making one home the one that is used when nothing else is said.

use std::convert::Infallible;

use super::ProfileError;
use crate::files::{self, Change, Mode, UpdateError};
use crate::home::NamedBy;
use crate::home::active;
use crate::{HomeName, HomeRoot};

/// Makes this home the active one. It has to exist.
pub fn activate(root: &HomeRoot, name: &HomeName) -> Result<(), ProfileError> {
    root.create()?;
    if let HomeName::Profile(profile) = name
        && !root.path_of(name).is_dir()
    {
        return Err(root.missing(profile.clone(), NamedBy::CommandLine).into());
    }
    let outcome = files::update(root.path(), active::FILE, Mode::Group, |current| {
        Ok::<_, Infallible>(match (name, current) {
            (HomeName::Default, None) => Change::Keep,
            (HomeName::Default, Some(_)) => Change::Remove,
            (HomeName::Profile(name), _) => Change::Replace(active::content(name)),
        })
    });
    outcome.map_err(|error| match error {
        UpdateError::File(error) => ProfileError::Active(error),
        UpdateError::Refused(never) => match never {},
    })
}
