//! Who may open a file afterwards: the same as before, and few for a new one.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;

use hermes_home::files::{Mode, create_private_dir};
use rustix::fs::{XattrFlags, getxattr, setxattr};

use super::child::{Task, assert_done};
use super::support::{Ground, STRANGER, is_root, mode_of, put};

const ACCESS_LIST: &str = "system.posix_acl_access";
const DEFAULT_LIST: &str = "system.posix_acl_default";

#[test]
fn no_umask_changes_what_new_files_get() {
    for umask in ["000", "022", "077", "027"] {
        let ground = Ground::new();
        let task = Task::new("umask", ground.home()).value(umask);
        assert_done(&task, task.command());
    }
}

/// The child: its umask is its own.
pub(super) fn under_umask(home: &Path, umask: &str) {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(u32::from_str_radix(umask, 8).unwrap()));
    put(home, "new/deep/auth.json", Mode::Private, "{}").unwrap();
    put(home, "config.yaml", Mode::Group, "a: 1").unwrap();
    for (name, expected) in [
        ("new", 0o700),
        ("new/deep", 0o700),
        ("new/deep/auth.json", 0o600),
        ("new/deep/auth.lock", 0o600),
        ("config.yaml", 0o640),
        ("config.lock", 0o600),
    ] {
        assert_eq!(mode_of(&home.join(name)), expected, "{name} under {umask}");
    }
    create_private_dir(&home.join("x/y")).unwrap();
    assert_eq!((mode_of(&home.join("x")), mode_of(&home.join("x/y"))), (0o700, 0o700), "under {umask}");
}

#[test]
fn a_replaced_file_keeps_its_mode() {
    for bits in [0o600, 0o640, 0o644, 0o666, 0o604, 0o400, 0o755, 0o4755] {
        let ground = Ground::new();
        ground.write("f", "old");
        std::fs::set_permissions(ground.file("f"), PermissionsExt::from_mode(bits)).unwrap();
        put(&ground.home(), "f", Mode::Private, "new").unwrap();
        assert_eq!((ground.read("f").as_str(), mode_of(&ground.file("f"))), ("new", bits));
    }
}

/// Owner and group of an entry.
fn owner(path: &Path) -> (u32, u32) {
    let metadata = path.symlink_metadata().unwrap();
    (metadata.uid(), metadata.gid())
}

#[test]
fn a_replaced_file_keeps_its_owner_and_group() {
    let ground = Ground::new();
    ground.write("f", "old");
    let (user, group) = owner(&ground.file("f"));
    // Anybody may give a file to another group of theirs; root to anybody.
    let groups = rustix::process::getgroups().unwrap();
    let other = groups.iter().map(|group| group.as_raw()).find(|other| *other != group).unwrap_or(group);
    let owners =
        if is_root() { vec![(STRANGER, STRANGER), (0, STRANGER), (STRANGER, 0), (0, 0)] } else { vec![(user, other)] };
    for (round, expected) in owners.into_iter().enumerate() {
        chown(ground.file("f"), Some(expected.0), Some(expected.1)).unwrap();
        std::fs::set_permissions(ground.file("f"), PermissionsExt::from_mode(0o2750)).unwrap();
        put(&ground.home(), "f", Mode::Private, round.to_string()).unwrap();
        assert_eq!((ground.read("f"), owner(&ground.file("f"))), (round.to_string(), expected));
        assert_eq!(mode_of(&ground.file("f")), 0o2750);
    }
}

#[test]
fn what_root_creates_in_a_home_belongs_to_the_homes_owner() {
    let ground = Ground::new();
    if is_root() {
        chown(ground.home(), Some(STRANGER), Some(STRANGER)).unwrap();
    }
    put(&ground.home(), "d/f", Mode::Private, "new").unwrap();
    for name in ["d", "d/f", "d/f.lock"] {
        assert_eq!(owner(&ground.file(name)), owner(&ground.home()), "{name}");
    }
}

/// An access list: owner rw, this user rw, group nothing, mask rw, others nothing.
fn access_list(user: u32) -> Vec<u8> {
    const NOBODY: u32 = u32::MAX;
    let entries: [(u16, u16, u32); 5] =
        [(0x01, 6, NOBODY), (0x02, 6, user), (0x04, 0, NOBODY), (0x10, 6, NOBODY), (0x20, 0, NOBODY)];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend(tag.to_le_bytes());
        list.extend(permissions.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    list
}

fn list_of(path: &Path, attribute: &str) -> Option<Vec<u8>> {
    let mut list = Vec::with_capacity(1024);
    getxattr(path, attribute, rustix::buffer::spare_capacity(&mut list)).ok().map(|_| list)
}

#[test]
fn a_replaced_file_keeps_its_access_list() {
    let ground = Ground::new();
    ground.write("f", "old");
    setxattr(ground.file("f"), ACCESS_LIST, &access_list(STRANGER), XattrFlags::empty()).unwrap();
    put(&ground.home(), "f", Mode::Private, "new").unwrap();
    assert_eq!(list_of(&ground.file("f"), ACCESS_LIST), Some(access_list(STRANGER)));
    assert_eq!((ground.read("f").as_str(), mode_of(&ground.file("f"))), ("new", 0o660));
}

#[test]
fn a_default_access_list_does_not_open_a_replaced_file() {
    let ground = Ground::new();
    ground.write("f", "old");
    std::fs::set_permissions(ground.file("f"), PermissionsExt::from_mode(0o660)).unwrap();
    setxattr(ground.home(), DEFAULT_LIST, &access_list(STRANGER), XattrFlags::empty()).unwrap();
    put(&ground.home(), "f", Mode::Private, "new").unwrap();
    assert_eq!(list_of(&ground.file("f"), ACCESS_LIST), None);
    assert_eq!(mode_of(&ground.file("f")), 0o660);
}
