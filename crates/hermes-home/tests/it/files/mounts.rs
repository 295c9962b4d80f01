//! A full disk, a read-only mount and a mounted file, each in a namespace of its own.

use std::io::{ErrorKind, Write};
use std::path::Path;

use hermes_home::files::{FileError, Mode, Step};
use hermes_proto::{Explain, Fault};
use rustix::mount::{MountFlags, mount, mount_bind, mount_remount};

use super::child::assert_done_in_namespace;
use super::support::{Ground, put, temporaries, tree};

const NAME: &str = "config.yaml";
const OLD: &str = "old: content\n";

#[test]
fn a_full_disk_keeps_the_old_file() {
    assert_done_in_namespace("full disk", &Ground::new().home());
    assert_done_in_namespace("no inodes", &Ground::new().home());
}

#[test]
fn a_read_only_home_keeps_the_old_file() {
    assert_done_in_namespace("read-only", &Ground::new().home());
}

#[test]
fn a_file_that_is_a_mount_is_kept() {
    assert_done_in_namespace("mounted file", &Ground::new().home());
}

fn mount_small(home: &Path, options: &std::ffi::CStr) {
    mount("none", home, "tmpfs", MountFlags::empty(), options).unwrap();
    put(home, NAME, Mode::Private, OLD).unwrap();
}

/// Fails to write `new`, and fails if that changed anything.
fn refused(home: &Path, new: &str) -> FileError {
    let before = tree(home);
    let error = put(home, NAME, Mode::Private, new).unwrap_err();
    assert_eq!(temporaries(home), Vec::<String>::new(), "{error}");
    let mut after = tree(home);
    // The lock names its last holder, which is this process anyway.
    after.insert("config.lock".into(), before.get(Path::new("config.lock")).unwrap().clone());
    assert_eq!(after, before, "{error}");
    assert!(error.to_string().contains("nothing was changed"), "{error}");
    error
}

pub(super) fn on_a_full_disk(home: &Path) {
    mount_small(home, c"size=256k");
    let mut filler = std::fs::File::create(home.join("filler")).unwrap();
    let full = loop {
        if let Err(error) = filler.write_all(&[0; 4096]) {
            break error;
        }
    };
    assert_eq!(full.kind(), ErrorKind::StorageFull);
    let error = refused(home, &"new".repeat(30_000));
    assert!(matches!(error, FileError::DiskFull { step: Step::Write, .. }), "{error:?}");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert_eq!(error.fault(), Fault::Failed);
    assert_eq!(error.hint(), Some(format!("make room: df -h {}", home.display())));
    filler.set_len(0).unwrap();
    put(home, NAME, Mode::Private, "new".repeat(30_000)).unwrap();
}

pub(super) fn without_inodes(home: &Path) {
    mount_small(home, c"size=256k,nr_inodes=8");
    let full = (0..8).find_map(|number| std::fs::write(home.join(number.to_string()), "").err()).unwrap();
    assert_eq!(full.kind(), ErrorKind::StorageFull);
    let error = refused(home, "new");
    assert!(matches!(error, FileError::DiskFull { step: Step::CreateTemporary, .. }), "{error:?}");
}

pub(super) fn on_a_read_only_mount(home: &Path) {
    mount_small(home, c"size=256k");
    mount_remount(home, MountFlags::RDONLY, c"").unwrap();
    let error = refused(home, "new");
    assert!(matches!(error, FileError::ReadOnly { step: Step::OpenLock, .. }), "{error:?}");
    assert!(error.to_string().contains("read-only"), "{error}");
    let other = put(home, "fresh/auth.json", Mode::Private, "{}").unwrap_err();
    assert!(matches!(other, FileError::ReadOnly { step: Step::CreateFolder, .. }), "{other:?}");
    assert!(other.hint().unwrap().contains("findmnt -T"), "{other:?}");
}

pub(super) fn on_a_mounted_file(home: &Path) {
    mount_small(home, c"size=256k");
    std::fs::write(home.join("elsewhere"), "mounted").unwrap();
    mount_bind(home.join("elsewhere"), home.join(NAME)).unwrap();
    let error = refused(home, "new");
    assert!(matches!(error, FileError::MountPoint { step: Step::Replace, .. }), "{error:?}");
    assert_eq!(error.hint(), Some(format!("mount the folder {} instead of the one file", home.display())));
}
