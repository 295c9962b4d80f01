//! POSIX access lists, kept through a replacement.
//!
//! A file with a list shows the list's mask as its group bits. Keeping only the mode
//! would hand its group what was granted to somebody else by name; and a default
//! list of the folder would open the new file to people the old one was closed to.

use std::os::fd::AsFd;

use rustix::buffer::spare_capacity;
use rustix::fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

const ATTRIBUTE: &str = "system.posix_acl_access";
/// The kernel's limit for the value of an extended attribute.
const LARGEST: usize = 64 * 1024;

/// Gives the file `to` the access list of `from`, or none.
pub(super) fn copy(from: impl AsFd, to: impl AsFd) -> Result<(), Errno> {
    let mut list = Vec::with_capacity(LARGEST);
    match fgetxattr(from, ATTRIBUTE, spare_capacity(&mut list)) {
        Ok(_) => fsetxattr(to, ATTRIBUTE, &list, XattrFlags::empty()),
        Err(Errno::NODATA) => match fremovexattr(to, ATTRIBUTE) {
            Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
            Err(error) => Err(error),
        },
        // A file system without access lists.
        Err(Errno::OPNOTSUPP) => Ok(()),
        Err(error) => Err(error),
    }
}
