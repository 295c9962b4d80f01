//! Putting a new content in a file's place: all of it or nothing, also through a
//! crash, with the owner and mode of what was there.

use std::io::Write;

use rustix::fs::{AtFlags, Gid, Mode as Bits, Stat, Uid, fchmod, fchown, fstat, unlinkat};
use rustix::io::Errno;

use super::access_list;
use super::account::Account;
use super::read::{Current, within_bound};
use super::temporary::{self, Temporary};
use super::update::Mode;
use super::walk::Place;
use super::{FileError, Step};

/// Replaces or creates the file. The caller holds its lock.
pub(super) fn replace(place: &Place, old: Option<&Current>, mode: Mode, bytes: &[u8]) -> Result<(), FileError> {
    within_bound(&place.path(), bytes.len() as u64)?;
    temporary::remove_leftovers(place)?;
    let mut new = Temporary::create(place)?;
    new.file.write_all(bytes).map_err(|source| FileError::io(Step::Write, place.path(), source))?;
    match old {
        Some(old) => keep(place, old, &new)?,
        None => {
            place.folder.give(&new.file);
            set_mode(place, &new, mode.bits())?;
        }
    }
    new.file.sync_all().map_err(|source| FileError::io(Step::Sync, place.path(), source))?;
    new.rename()?;
    settle(place)
}

/// Removes the file. The caller holds its lock.
pub(super) fn remove(place: &Place) -> Result<(), FileError> {
    temporary::remove_leftovers(place)?;
    match unlinkat(&place.folder.fd, &place.name, AtFlags::empty()) {
        Ok(()) => settle(place),
        Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(FileError::at(Step::Remove, place.path(), error)),
    }
}

/// Owner first: it clears bits of the mode, and the mode may let a group in.
fn keep(place: &Place, old: &Current, new: &Temporary<'_>) -> Result<(), FileError> {
    keep_owner(place, &old.stat, new)?;
    access_list::copy(&old.file, &new.file).map_err(|error| FileError::at(Step::SetAccessList, place.path(), error))?;
    set_mode(place, new, Bits::from_raw_mode(old.stat.st_mode))
}

fn keep_owner(place: &Place, old: &Stat, new: &Temporary<'_>) -> Result<(), FileError> {
    let made = fstat(&new.file).map_err(|error| FileError::at(Step::SetOwner, place.path(), error))?;
    let owner = (made.st_uid != old.st_uid).then(|| Uid::from_raw(old.st_uid));
    let group = (made.st_gid != old.st_gid).then(|| Gid::from_raw(old.st_gid));
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(&new.file, owner, group).map_err(|error| match error {
        // Not allowed, or an owner that this user namespace does not know.
        Errno::PERM | Errno::INVAL => FileError::OwnerNotKept {
            path: place.path(),
            owner: Account::of(old.st_uid),
            group: old.st_gid,
            source: error.into(),
        },
        error => FileError::at(Step::SetOwner, place.path(), error),
    })
}

fn set_mode(place: &Place, new: &Temporary<'_>, bits: Bits) -> Result<(), FileError> {
    fchmod(&new.file, bits).map_err(|error| FileError::at(Step::SetMode, place.path(), error))
}

/// Makes what just happened to the folder's entries durable.
fn settle(place: &Place) -> Result<(), FileError> {
    place.folder.sync().map_err(|error| FileError::NotSynced { path: place.path(), source: error.into() })
}
