//! Removes a folder, whatever the script or command that it is for made of it.
//!
//! A script may nest folders deeper than a stack or a table of descriptors reaches, take its own rights
//! away, put a link in the folder's place, or have left somebody who goes on filling it. So no link is followed,
//! nothing recurses, one folder is open at a time, and it ends after a while.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, chmodat, fchmod, fstat, openat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Long enough for very many files.
const PATIENCE: Duration = Duration::from_secs(30);

const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Removes the folder. One that is not there any more is removed.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    match open_folder(CWD, folder) {
        Ok(root) => empty(root, Instant::now() + PATIENCE)?,
        Err(Errno::NOENT) => return Ok(()),
        // Something else is in its place.
        Err(Errno::NOTDIR | Errno::LOOP) => return Ok(unlinkat(CWD, folder, AtFlags::empty())?),
        Err(error) => return Err(error.into()),
    }
    Ok(unlinkat(CWD, folder, AtFlags::REMOVEDIR)?)
}

/// A folder above the one that is open: who it is, and the name of what was entered.
struct Above {
    identity: (u64, u64),
    entered: CString,
}

/// Down to the first folder that has none in it, and up again when it is empty.
fn empty(root: OwnedFd, deadline: Instant) -> io::Result<()> {
    let mut here = root;
    let mut above: Vec<Above> = Vec::new();
    loop {
        if Instant::now() > deadline {
            return Err(io::Error::other("it holds too much, or is being filled"));
        }
        if let Some(name) = remove_files(&here)? {
            let inner = open_folder(&here, &name)?;
            above.push(Above { identity: identity(&here)?, entered: name });
            here = inner;
            continue;
        }
        let Some(Above { identity: expected, entered }) = above.pop() else { return Ok(()) };
        here = openat(&here, c"..", FLAGS, Mode::empty())?;
        // Somebody may have moved it meanwhile, and above it is something else now.
        if identity(&here)? != expected {
            return Err(io::Error::other("its folders are being moved"));
        }
        unlinkat(&here, &entered, AtFlags::REMOVEDIR)?;
    }
}

/// Removes what is not a folder, up to the first one that is; its name.
fn remove_files(folder: &OwnedFd) -> io::Result<Option<CString>> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        match unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR) => return Ok(Some(name.to_owned())),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Opens a folder, and takes the rights to empty it.
fn open_folder(at: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd, Errno> {
    let open = || openat(at.as_fd(), name, FLAGS, Mode::empty());
    let opened = match open() {
        Err(Errno::ACCESS) => {
            chmodat(at.as_fd(), name, Mode::RWXU, AtFlags::empty())?;
            open()
        }
        opened => opened,
    }?;
    // Its entries can be removed only by who may write to it.
    let _ = fchmod(&opened, Mode::RWXU);
    Ok(opened)
}

fn identity(folder: &OwnedFd) -> io::Result<(u64, u64)> {
    let found = fstat(folder)?;
    Ok((found.st_dev, found.st_ino))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

    use super::remove_folder;

    #[test]
    fn nothing_stays_and_nothing_else_goes() {
        let around = tempfile::tempdir().unwrap();
        let (folder, kept) = (around.path().join("script"), around.path().join("kept"));
        fs::create_dir_all(folder.join("a/b/c")).unwrap();
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "x").unwrap();
        for name in ["one", "a/two", "a/b/c/three"] {
            fs::write(folder.join(name), "x").unwrap();
        }
        for number in 0..3000 {
            fs::write(folder.join(format!("a/b/{number}")), "").unwrap();
        }
        symlink(&kept, folder.join("a/link")).unwrap();
        fs::set_permissions(folder.join("a/b"), fs::Permissions::from_mode(0o000)).unwrap();
        remove_folder(&folder).unwrap();
        assert!(!folder.exists() && kept.join("file").exists());
        remove_folder(&folder).unwrap();
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let around = tempfile::tempdir().unwrap();
        let (folder, kept) = (around.path().join("script"), around.path().join("kept"));
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "x").unwrap();
        symlink(&kept, &folder).unwrap();
        remove_folder(&folder).unwrap();
        assert!(!folder.is_symlink() && kept.join("file").exists());
        fs::write(&folder, "").unwrap();
        remove_folder(&folder).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn depth_costs_neither_stack_nor_descriptors() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("script");
        fs::create_dir(&folder).unwrap();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut here = openat(CWD, &folder, flags, Mode::empty()).unwrap();
        for _ in 0..3000 {
            mkdirat(&here, "d", Mode::RWXU).unwrap();
            here = openat(&here, "d", flags, Mode::empty()).unwrap();
        }
        drop(here);
        remove_folder(&folder).unwrap();
        assert!(!folder.exists());
    }
}
