//! The temporary file that becomes the new content, and what killed writers left.
//!
//! Its name is random although the lock lets only one writer at it: should a file
//! system not honour the lock, a second writer then meets a missing file, never a
//! half-written one that goes by the right name. It is gone after every failure.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::mem::MaybeUninit;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::{AtFlags, Mode, OFlags, RawDir, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::folder::Folder;
use super::walk::Place;
use super::{FileError, Step};

const MARK: &str = ".hermes-";
const SUFFIX: &str = ".tmp";
const DIGITS: usize = 16;
/// Random names that are tried before the folder counts as unusable.
const ATTEMPTS: usize = 8;
const LISTING: usize = 16 * 1024;

/// A file beside its destination; removed unless it took the destination's place.
#[derive(Debug)]
pub(super) struct Temporary<'place> {
    place: &'place Place,
    name: OsString,
    pub(super) file: File,
    in_place: bool,
}

impl<'place> Temporary<'place> {
    /// Creates one that only its owner can open.
    pub(super) fn create(place: &'place Place) -> Result<Self, FileError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..ATTEMPTS {
            let name = random_name(&place.name);
            match openat(&place.folder.fd, &name, flags, Mode::RUSR | Mode::WUSR) {
                Ok(fd) => return Ok(Self { place, name, file: File::from(fd), in_place: false }),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(FileError::at(Step::CreateTemporary, place.path(), error)),
            }
        }
        Err(FileError::Unstable { path: place.path() })
    }

    /// Puts it where the destination is, in one step.
    pub(super) fn rename(mut self) -> Result<(), FileError> {
        let folder = &self.place.folder.fd;
        renameat(folder, &self.name, folder, &self.place.name)
            .map_err(|error| FileError::at(Step::Replace, self.place.path(), error))?;
        self.in_place = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.in_place {
            remove(&self.place.folder, &self.name);
        }
    }
}

/// Removes what killed writers of this very file left. The caller holds the lock,
/// so nobody is writing to any of them.
pub(super) fn remove_leftovers(place: &Place) -> Result<(), FileError> {
    let mut leftovers = Vec::new();
    let mut buffer = [MaybeUninit::uninit(); LISTING];
    let mut entries = RawDir::new(&place.folder.fd, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry.map_err(|error| FileError::at(Step::ListFolder, place.folder.path.clone(), error))?;
        let name = entry.file_name().to_bytes();
        if destination_of(name) == Some(place.name.as_bytes()) {
            leftovers.push(OsString::from_vec(name.to_vec()));
        }
    }
    leftovers.iter().for_each(|name| remove(&place.folder, name));
    Ok(())
}

/// Whether an entry of this name is a temporary file.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    destination_of(name.as_bytes()).is_some()
}

fn remove(folder: &Folder, name: &OsStr) {
    match unlinkat(&folder.fd, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => {
            let path = folder.path.join(name);
            tracing::warn!(path = %path.display(), %error, "a temporary file stays behind");
        }
    }
}

fn random_name(destination: &OsStr) -> OsString {
    // Seeded by the kernel; the standard library offers no other random numbers.
    let number = RandomState::new().hash_one(std::process::id());
    let mut name = OsString::from(".");
    name.push(destination);
    name.push(format!("{MARK}{number:0DIGITS$x}{SUFFIX}"));
    name
}

/// The file that a temporary file of this name was to become.
fn destination_of(name: &[u8]) -> Option<&[u8]> {
    let rest = name.strip_prefix(b".")?.strip_suffix(SUFFIX.as_bytes())?;
    let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(DIGITS)?)?;
    let hexadecimal = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let destination = rest.strip_suffix(MARK.as_bytes())?;
    (digits.iter().all(hexadecimal) && !destination.is_empty()).then_some(destination)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::{destination_of, random_name};

    #[test]
    fn a_temporary_name_tells_its_destination() {
        for destination in ["auth.json", ".env", "a", "x.hermes-0123456789abcdef.tmp"] {
            let name = random_name(OsStr::new(destination));
            assert_eq!(destination_of(name.as_bytes()), Some(destination.as_bytes()), "{name:?}");
        }
        assert_ne!(random_name(OsStr::new("a")), random_name(OsStr::new("a")));
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "auth.json",
            ".auth.json",
            ".auth.json.tmp",
            ".auth.json.hermes-0123456789abcdef",
            ".auth.json.hermes-0123456789ABCDEF.tmp",
            ".auth.json.hermes-123456789abcdef.tmp",
            "auth.json.hermes-0123456789abcdef.tmp",
            "..hermes-0123456789abcdef.tmp.tmp",
            ".hermes-0123456789abcdef.tmp",
            ".tmp",
            "",
        ] {
            assert_eq!(destination_of(name.as_bytes()), None, "{name}");
        }
    }
}
