//! The few mount operations that a confinement is made of.
//!
//! A place that must survive being covered is cloned first into a mount that hangs
//! nowhere; what covers it can then be put up, and the clone on top.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::CWD;
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags, mount, move_mount, open_tree};

pub(super) const READ_ONLY: u64 = 0x1;
pub(super) const NO_SET_USER_ID: u64 = 0x2;
pub(super) const NO_DEVICES: u64 = 0x4;
pub(super) const NO_PROGRAMS: u64 = 0x8;

/// The kernel's `struct mount_attr`.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// How far a change of attributes reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    ThisMount,
    MountsBelowToo,
}

impl Reach {
    fn flag(self) -> libc::c_uint {
        const AT_RECURSIVE: libc::c_uint = 0x8000;
        match self {
            Self::ThisMount => 0,
            Self::MountsBelowToo => AT_RECURSIVE,
        }
    }
}

/// A copy of what is mounted at a path, with everything below, that hangs nowhere yet.
#[derive(Debug)]
pub(super) struct Detached(OwnedFd);

impl Detached {
    pub(super) fn clone_of(path: &Path) -> io::Result<Self> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE
            | OpenTreeFlags::AT_SYMLINK_NOFOLLOW;
        Ok(Self(open_tree(CWD, path, flags)?))
    }

    pub(super) fn set(&self, attributes: u64) -> io::Result<()> {
        const AT_EMPTY_PATH: libc::c_uint = 0x1000;
        set_attributes(self.0.as_raw_fd(), c"", AT_EMPTY_PATH | Reach::MountsBelowToo.flag(), attributes)
    }

    pub(super) fn attach(self, path: &Path) -> io::Result<()> {
        move_mount(self.0, c"", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        Ok(())
    }
}

/// Adds attributes to what is mounted at `path`, which must be a mount point.
pub(super) fn set(path: &Path, reach: Reach, attributes: u64) -> io::Result<()> {
    let path = std::ffi::CString::new(path.as_os_str().as_encoded_bytes())?;
    set_attributes(libc::AT_FDCWD, &path, reach.flag(), attributes)
}

#[expect(unsafe_code, reason = "neither rustix nor the C library has this call")]
fn set_attributes(folder: i32, path: &std::ffi::CStr, flags: libc::c_uint, set: u64) -> io::Result<()> {
    let attributes = MountAttributes { set, clear: 0, propagation: 0, user_namespace: 0 };
    // SAFETY: path and attributes are valid for reading during the call, and the size is that of
    // the attributes.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// An empty folder in memory on top of `path`. `options` as in mount(8).
pub(super) fn empty_folder(path: &Path, options: &str, flags: MountFlags) -> io::Result<()> {
    let options = std::ffi::CString::new(options)?;
    mount(c"tmpfs", path, c"tmpfs", MountFlags::NOSUID | MountFlags::NODEV | flags, options.as_c_str())?;
    Ok(())
}

/// A folder and those around it, as far as they are not there.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// An empty file to mount something on.
pub(super) fn make_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    fs::write(path, "")
}
