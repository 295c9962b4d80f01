//! A refusal names the file or folder that refuses, its owner, its mode and the
//! remedy. Invariant 13.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use hermes_home::files::{self, Account, FileError, Mode, create_private_dir};
use hermes_proto::{Explain, Fault};

use super::support::{Ground, STRANGER, as_ordinary_user, hand_over, is_root, put, temporaries, tree};

fn ground() -> Ground {
    let ground = Ground::new();
    ground.write("auth.json", "old");
    for path in [ground.root().to_owned(), ground.home(), ground.file("auth.json")] {
        hand_over(&path);
    }
    ground
}

fn set_mode(path: &Path, bits: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(bits)).unwrap();
}

/// Expects a refusal by `culprit`.
fn check(error: &FileError, culprit: &Path, mode: &str, remedy: &str) {
    let text = error.to_string();
    assert!(matches!(error, FileError::Denied { .. }), "{error:?}");
    assert_eq!(error.fault(), Fault::Configuration, "{text}");
    assert!(text.contains("Permission denied"), "{text}");
    assert!(text.contains(&format!("{} belongs to ", culprit.display())), "{text}");
    assert!(text.contains(&format!("with mode {mode}, and this is ")), "{text}");
    assert_eq!(error.hint(), Some(format!("{remedy} {}", culprit.display())), "{text}");
}

#[test]
fn an_unreadable_file_is_named() {
    let ground = ground();
    let file = ground.file("auth.json");
    set_mode(&file, 0o200);
    let (read, written) =
        as_ordinary_user(|| (files::read(&file).unwrap_err(), put(&ground.home(), "auth.json", Mode::Private, "new")));
    check(&read, &file, "0200", "chmod u+rw");
    check(&written.unwrap_err(), &file, "0200", "chmod u+rw");
    set_mode(&file, 0o600);
    assert_eq!(ground.read("auth.json"), "old");
}

#[test]
fn a_foreign_file_is_told_with_its_owner() {
    let ground = ground();
    let mine = ground.file("auth.json");
    // A file of root's that others cannot read: our own one, or one that is everywhere.
    let file = if is_root() { mine.as_path() } else { Path::new("/etc/shadow") };
    if is_root() {
        chown(file, Some(0), Some(0)).unwrap();
        set_mode(file, 0o600);
    }
    let (error, actor) = as_ordinary_user(|| (files::read(file).unwrap_err(), Account::current()));
    let (text, mode) = (error.to_string(), super::support::mode_of(file));
    check(
        &error,
        file,
        &format!("{mode:04o}"),
        &format!("sudo chown {}", actor.name.clone().unwrap_or(actor.uid.to_string())),
    );
    assert!(text.contains("belongs to root (uid 0)"), "{text}");
    assert!(text.contains(&format!("and this is {actor}")), "{text}");
}

#[test]
fn a_closed_folder_is_blamed_instead_of_the_file() {
    let ground = ground();
    let home = ground.home();
    set_mode(&home, 0o000);
    let errors = as_ordinary_user(|| {
        let read = files::read(&home.join("auth.json")).unwrap_err();
        let written = put(&home, "auth.json", Mode::Private, "new").unwrap_err();
        (read, written, create_private_dir(&home.join("x")).unwrap_err())
    });
    for error in [&errors.0, &errors.1, &errors.2] {
        check(error, &home, "0000", "chmod u+rwx");
    }
    set_mode(&home, 0o700);
    assert_eq!(ground.read("auth.json"), "old");
}

#[test]
fn a_folder_without_write_permission_is_blamed_and_nothing_is_left() {
    let ground = ground();
    let home = ground.home();
    as_ordinary_user(|| put(&home, "auth.json", Mode::Private, "newer").unwrap());
    set_mode(&home, 0o500);
    let before = tree(&home);
    let (locked, fresh, folder) = as_ordinary_user(|| {
        (
            put(&home, "auth.json", Mode::Private, "new").unwrap_err(),
            put(&home, "config.yaml", Mode::Private, "new").unwrap_err(),
            put(&home, "memories/MEMORY.md", Mode::Private, "new").unwrap_err(),
        )
    });
    for error in [&locked, &fresh, &folder] {
        check(error, &home, "0500", "chmod u+rwx");
        assert!(error.to_string().contains("nothing was changed"), "{error}");
    }
    let contents = |tree: std::collections::BTreeMap<_, String>| tree.into_keys().collect::<Vec<_>>();
    assert_eq!(contents(tree(&home)), contents(before));
    assert_eq!((ground.read("auth.json").as_str(), temporaries(&home)), ("newer", Vec::new()));
    set_mode(&home, 0o700);
}

#[test]
fn an_owner_that_cannot_be_kept_stops_the_update() {
    let ground = ground();
    let file = ground.file("auth.json");
    if !is_root() {
        // Only root can make a foreign file; everybody can keep their own.
        return put(&ground.home(), "auth.json", Mode::Private, "new").unwrap();
    }
    chown(&file, Some(0), Some(STRANGER)).unwrap();
    set_mode(&file, 0o644);
    let error = as_ordinary_user(|| put(&ground.home(), "auth.json", Mode::Private, "new").unwrap_err());
    let text = error.to_string();
    assert!(matches!(error, FileError::OwnerNotKept { .. }), "{error:?}");
    assert!(text.contains("cannot keep root (uid 0) and group 12345 as the owner of"), "{text}");
    assert!(text.contains("nothing was changed"), "{text}");
    assert_eq!(ground.read("auth.json"), "old");
    assert_eq!(temporaries(&ground.home()), Vec::<String>::new());
}
