//! The file system as the confined see it: read-only, with holes and a few writable places.
//!
//! Works in place on the tree of a fresh mount namespace. Nothing is unmounted or
//! pivoted: what is covered stays below, so nothing inside may ever be able to unmount
//! (no capability, no such system call).

mod attach;
mod kernel;

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, mount_change};

use self::attach::{Detached, NO_DEVICES, NO_SET_USER_ID, READ_ONLY, Reach};
use super::layers::{Applied, Entering, Failed, Step};
use super::places::{Access, Place, Places, Shape, TEMPORARY};

/// Hidden folders get room for the mount points inside them and nothing else.
const HIDDEN_FOLDER: &str = "mode=755,size=64k";

pub(super) fn apply(entering: &Entering<'_>) -> Result<Applied, Failed> {
    if let Err(reason) = entering.namespaces() {
        return Ok(Applied::Missing(format!("{reason}; /tmp is shared with the host")));
    }
    let temporary = temporary_options(entering.confinement.limits.temporary_bytes);
    let cut_off = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change(c"/", cut_off).map_err(io::Error::from).step("cutting mounts off from the host")?;
    let clones = clone_places(&entering.places).step("cloning what stays visible")?;
    let devices = kernel::clone_devices().step("cloning devices")?;
    attach::set(Path::new("/"), Reach::MountsBelowToo, READ_ONLY | NO_SET_USER_ID | NO_DEVICES)
        .step("making everything read-only")?;
    let blank = make_blank(&temporary).step("making a blank file")?;
    kernel::make_dev(devices, &temporary).step("making /dev")?;
    let fresh = kernel::make_proc();
    kernel::narrow_proc(&blank).step("narrowing /proc")?;
    entering.note_proc(fresh.err());
    arrange(&entering.places, clones, &blank, &temporary)?;
    Ok(Applied::InForce)
}

/// Compares what is at each place now with what was there, and tries to write elsewhere.
pub(super) fn prove(entering: &Entering<'_>) -> Result<String, String> {
    let mut hidden = 0;
    for place in entering.places.iter().filter(|place| place.access.covers()) {
        if identity(&place.path).is_ok_and(|now| now == place.identity) {
            return Err(format!("{} shows what the host has there", place.path.display()));
        }
        hidden += 1;
    }
    for folder in ["/", "/etc", "/usr", "/sys", "/proc/sys", "/dev"] {
        let flags = rustix::fs::statvfs(folder).map(|found| found.f_flag);
        if !flags.is_ok_and(|flags| flags.contains(rustix::fs::StatVfsMountFlags::RDONLY)) {
            return Err(format!("{folder} is not read-only"));
        }
    }
    let attempt = Path::new("/.hermes-proof");
    if fs::File::create_new(attempt).is_ok() {
        let _ = fs::remove_file(attempt);
        return Err("a file could be made in /".to_owned());
    }
    Ok(format!("{hidden} places of the host are covered, no file could be made in /"))
}

/// The blank file lives in `/tmp`, which is mounted first for it.
fn make_blank(temporary: &str) -> io::Result<PathBuf> {
    let folder = fs::canonicalize("/tmp")?;
    attach::empty_folder(&folder, temporary, MountFlags::empty())?;
    let blank = folder.join(".blank");
    attach::make_file(&blank)?;
    fs::set_permissions(&blank, fs::Permissions::from_mode(0o000))?;
    Ok(blank)
}

fn clone_places(places: &Places) -> io::Result<Vec<(Place, Option<Detached>)>> {
    let clone = |place: &Place| {
        let clone = if place.access.covers() { None } else { Some(Detached::clone_of(&place.path)?) };
        Ok((place.clone(), clone))
    };
    places.iter().map(clone).collect()
}

/// Puts every place in its order, outer before inner, and closes the hidden ones at the end.
fn arrange(
    places: &Places,
    clones: Vec<(Place, Option<Detached>)>,
    blank: &Path,
    temporary: &str,
) -> Result<(), Failed> {
    let mut to_close = Vec::new();
    for (place, clone) in clones {
        let outer = places.around(&place.path).map(|outer| outer.access);
        match (place.access, clone) {
            (Access::Hidden, _) if outer.is_some_and(Access::covers) => {}
            (Access::Hidden, _) if place.shape == Shape::File => {
                kernel::cover_file(&place.path, blank).step("hiding a file")?;
            }
            (Access::Hidden, _) => {
                attach::empty_folder(&place.path, HIDDEN_FOLDER, MountFlags::NOEXEC).step("hiding a folder")?;
                to_close.push(place.path);
            }
            (Access::Temporary, _) => put_temporary(&place.path, outer, temporary).step("making a private folder")?,
            (access, Some(clone)) => put_clone(&place, clone, access, outer).step("placing what stays visible")?,
            (_, None) => {}
        }
    }
    fs::remove_file(blank).step("removing the blank file")?;
    for folder in to_close {
        attach::set(&folder, Reach::ThisMount, READ_ONLY).step("closing a hidden folder")?;
    }
    Ok(())
}

/// `/tmp` is there already, for the blank file.
fn put_temporary(path: &Path, outer: Option<Access>, options: &str) -> io::Result<()> {
    let is_tmp = fs::canonicalize(TEMPORARY[0]).is_ok_and(|tmp| tmp == path);
    if is_tmp || outer.is_some_and(Access::covers) {
        return Ok(());
    }
    attach::empty_folder(path, options, MountFlags::empty())
}

fn put_clone(place: &Place, clone: Detached, access: Access, outer: Option<Access>) -> io::Result<()> {
    if outer.is_some_and(Access::covers) {
        match place.shape {
            Shape::Folder => attach::make_folder(&place.path)?,
            Shape::File => attach::make_file(&place.path)?,
        }
    }
    let attributes = if access == Access::ReadOnly { READ_ONLY } else { 0 };
    clone.set(attributes | NO_SET_USER_ID | NO_DEVICES)?;
    clone.attach(&place.path)
}

fn temporary_options(bytes: Option<u64>) -> String {
    bytes.map_or_else(|| "mode=1777".to_owned(), |bytes| format!("mode=1777,size={bytes}"))
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = fs::symlink_metadata(path)?;
    Ok((found.dev(), found.ino()))
}
