//! Things that are not the small regular file they should be, and odd names.

use std::convert::Infallible;
use std::path::Path;

use hermes_home::files::{self, Change, FileError, Mode, create_private_dir, update};
use hermes_proto::{Explain, Fault};
use rustix::fs::{CWD, mkfifoat};

use super::support::{Ground, put, temporaries};

const LARGEST: u64 = 16 * 1024 * 1024;

fn pipe(path: &Path) {
    mkfifoat(CWD, path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
}

#[test]
fn what_is_not_a_regular_file_is_refused_at_once() {
    let ground = Ground::new();
    std::fs::create_dir(ground.file("folder")).unwrap();
    pipe(&ground.file("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(ground.file("socket")).unwrap();
    for (name, kind) in [("folder", "a folder"), ("pipe", "a named pipe"), ("socket", "a socket")] {
        let read = files::read(&ground.file(name)).unwrap_err();
        let written = put(&ground.home(), name, Mode::Private, "new").unwrap_err();
        for error in [read, written] {
            assert_eq!(error.to_string(), format!("{} is {kind}, not a regular file", ground.file(name).display()));
            assert_eq!(error.fault(), Fault::Configuration);
        }
    }
    assert!(files::read(Path::new("/dev/zero")).unwrap_err().to_string().contains("is a device"));
}

#[test]
fn a_file_in_place_of_a_folder_is_told() {
    let ground = Ground::new();
    ground.write("memories", "a file");
    let error = put(&ground.home(), "memories/MEMORY.md", Mode::Private, "new").unwrap_err();
    assert_eq!(error.to_string(), format!("{} is a file, not a folder", ground.file("memories").display()));
    let error = create_private_dir(&ground.file("memories/x")).unwrap_err();
    assert!(matches!(error, FileError::NotAFolder { .. }), "{error:?}");
    let error = put(&ground.file("memories"), "x", Mode::Private, "new").unwrap_err();
    assert!(matches!(error, FileError::NotAFolder { .. }), "{error:?}");
}

#[test]
fn a_missing_home_is_not_created_by_a_write() {
    let ground = Ground::new();
    let error = put(&ground.file("gone"), "config.yaml", Mode::Private, "new").unwrap_err();
    assert!(matches!(error, FileError::NoHome { .. }), "{error:?}");
    assert!(!ground.file("gone").exists());
    assert_eq!(files::read(&ground.file("gone/config.yaml")).unwrap(), None);
}

#[test]
fn too_much_is_neither_read_nor_written() {
    let ground = Ground::new();
    let large = std::fs::File::create(ground.file("large")).unwrap();
    large.set_len(LARGEST + 1).unwrap();
    let read = files::read(&ground.file("large")).unwrap_err();
    let written =
        put(&ground.home(), "new", Mode::Private, vec![0; usize::try_from(LARGEST).unwrap() + 1]).unwrap_err();
    for error in [read, written] {
        assert!(matches!(error, FileError::TooLarge { size, .. } if size == LARGEST + 1), "{error:?}");
        assert!(error.to_string().contains("has 16777217 bytes"), "{error}");
    }
    assert!(!ground.file("new").exists());
    large.set_len(LARGEST).unwrap();
    assert_eq!(files::read(&ground.file("large")).unwrap().unwrap().len() as u64, LARGEST);
}

#[test]
fn names_that_are_not_beneath_the_home_are_refused() {
    let ground = Ground::new();
    let absolute = ground.outside().join("precious");
    for name in ["", "..", ".", "../outside/precious", "a/../../outside/precious", "a/", "a//b", "a\0b", "a.lock"]
        .into_iter()
        .chain([absolute.to_str().unwrap(), ".f.hermes-0123456789abcdef.tmp"])
    {
        let error = put(&ground.home(), name, Mode::Private, "new").unwrap_err();
        assert!(matches!(error, FileError::Name { .. }), "{name:?}: {error:?}");
        assert_eq!(error.fault(), Fault::Usage);
    }
    assert_eq!(std::fs::read_dir(ground.home()).unwrap().count(), 0);
    ground.assert_outside_untouched();
    for name in ["a b", "ä", "-rf", "...", "new\nline", "$HOME", &"n".repeat(200)] {
        put(&ground.home(), name, Mode::Private, name).unwrap();
        assert_eq!(ground.read(name), name);
    }
    let error = put(&ground.home(), &"n".repeat(300), Mode::Private, "new").unwrap_err();
    assert!(matches!(error, FileError::Io { .. }), "{error:?}");
}

#[test]
fn only_leftovers_of_the_very_file_are_removed() {
    let ground = Ground::new();
    let kept = [".f.txt.tmp", ".g.txt.hermes-0123456789abcdef.tmp", "f.txt.hermes-0123456789abcdef.tmp"];
    kept.iter().for_each(|name| ground.write(name, "kept"));
    for content in ["new", "new", "newer"] {
        ground.write(".f.txt.hermes-0123456789abcdef.tmp", "left");
        put(&ground.home(), "f.txt", Mode::Private, content).unwrap();
        assert_eq!(temporaries(&ground.home()).len(), 2, "{content}");
    }
    assert!(kept.iter().all(|name| ground.read(name) == "kept"));
}

#[test]
fn the_same_content_is_not_written_again() {
    use std::os::unix::fs::MetadataExt;
    let ground = Ground::new();
    put(&ground.home(), "f", Mode::Private, "same").unwrap();
    let before = ground.file("f").metadata().unwrap().ino();
    put(&ground.home(), "f", Mode::Private, "same").unwrap();
    assert_eq!(ground.file("f").metadata().unwrap().ino(), before);
}

#[test]
fn a_decision_sees_the_content_and_may_refuse() {
    let ground = Ground::new();
    let refused = update(&ground.home(), "f", Mode::Private, |current| {
        assert_eq!(current, None);
        Err::<Change, _>(std::io::Error::other("not today"))
    });
    assert_eq!(refused.unwrap_err().to_string(), "not today");
    assert!(!ground.file("f").exists());
    put(&ground.home(), "f", Mode::Private, "one").unwrap();
    update(&ground.home(), "f", Mode::Private, |current| {
        assert_eq!(current, Some(b"one".as_slice()));
        Ok::<_, Infallible>(Change::Remove)
    })
    .unwrap();
    assert!(!ground.file("f").exists());
}
