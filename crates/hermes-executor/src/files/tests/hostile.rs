//! Trees and names that somebody made on purpose. Nothing here may hang, panic, or be shown raw.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use hermes_proto::executor::{FileAnswer, FileRequest, SearchFiles, SearchTarget};
use proptest::prelude::*;

use super::{Fixture, list, patch, read, search, write};

const NAMES: [&[u8]; 5] = [b"two\nlines", b"\x1b[2Jclear", b"\xff\xfe", "exe\u{202e}gpj".as_bytes(), b"a:1:b"];

fn every_search(pattern: &str) -> [SearchFiles; 2] {
    [search(SearchTarget::Content, "needle", "."), search(SearchTarget::Names, pattern, ".")]
}

#[test]
fn names_are_shown_as_text_that_does_nothing() {
    let fixture = Fixture::new(&[]);
    for name in NAMES {
        fs::write(fixture.folder.path().join(OsStr::from_bytes(name)), "needle\n").unwrap();
    }
    let [content, names] = every_search("*");
    let mut shown = Vec::new();
    let FileAnswer::Matches { lines, .. } = fixture.ask(FileRequest::Search(content)) else { panic!() };
    shown.extend(lines.into_iter().map(|line| line.path));
    let FileAnswer::Names { paths, .. } = fixture.ask(FileRequest::Search(names)) else { panic!() };
    shown.extend(paths);
    let FileAnswer::Entries { entries, .. } = fixture.ask(list(".", 99)) else { panic!() };
    shown.extend(entries.into_iter().map(|entry| entry.name));
    assert_eq!(shown.len(), 3 * NAMES.len());
    assert!(shown.iter().all(|name| !name.contains(['\n', '\x1b', '\u{202e}', '\u{fffd}'])), "{shown:?}");
    assert!(shown.contains(&r"$'two\x0alines'".to_owned()) && shown.contains(&r"$'\xff\xfe'".to_owned()));
}

/// Ripgrep's own library would wait for the pipe, and read the device until the memory is full.
#[test]
fn an_ignore_file_that_is_a_trap_is_not_opened() {
    let fixture = Fixture::new(&[("ok/x", "needle\n"), ("pipe/x", "needle\n"), ("device/x", "needle\n")]);
    fixture.fifo("pipe/.gitignore");
    fixture.link("device/.ignore", "/dev/zero");
    fixture.put("large/.gitignore", "x\n".repeat(500_000));
    for request in every_search("x") {
        let (paths, notes) = match fixture.ask(FileRequest::Search(request)) {
            FileAnswer::Matches { lines, notes, .. } => (lines.into_iter().map(|line| line.path).collect(), notes),
            FileAnswer::Names { paths, notes, .. } => (paths, notes),
            answer => panic!("{answer:?}"),
        };
        assert_eq!(paths, ["ok/x"]);
        for folder in ["pipe", "device", "large"] {
            let said = format!("{} was not searched: ", fixture.shown(folder));
            assert!(notes.iter().any(|note| note.starts_with(&said)), "{folder} in {notes:?}");
        }
    }
    fixture.put("pipe/below/x", "needle\n");
    fixture.link("link", "pipe/below");
    for (path, total) in [("pipe", 2), ("pipe/below", 1), ("link", 1)] {
        let inside = search(SearchTarget::Content, "needle", path);
        let FileAnswer::Matches { lines, notes, .. } = fixture.ask(FileRequest::Search(inside)) else { panic!() };
        assert_eq!((lines.len(), notes.len()), (total, 1), "{path}");
        assert!(notes[0].ends_with("ignore files were not used"), "{notes:?}");
    }
}

#[test]
fn a_git_folder_that_is_a_trap_is_not_opened() {
    let fixture = Fixture::new(&[("x", "needle\n")]);
    fixture.put(".git", format!("gitdir: {}\n", fixture.shown("fake")));
    fs::create_dir(fixture.path("fake")).unwrap();
    fixture.fifo("fake/commondir");
    for request in every_search("x") {
        let answer = fixture.ask(FileRequest::Search(request));
        assert!(matches!(answer, FileAnswer::Matches { total: 1, .. } | FileAnswer::Names { total: 1, .. }));
    }
}

#[test]
fn a_tree_deeper_than_a_path_can_be_is_searched_as_far_as_that_goes() {
    let fixture = Fixture::new(&[("x", "needle\n")]);
    let name = "d".repeat(200);
    let mut folder =
        rustix::fs::open(fixture.folder.path(), rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap();
    for _ in 0..30 {
        rustix::fs::mkdirat(&folder, &name, rustix::fs::Mode::RWXU).unwrap();
        folder = rustix::fs::openat(&folder, &name, rustix::fs::OFlags::PATH, rustix::fs::Mode::empty()).unwrap();
    }
    for request in every_search("x") {
        let answer = fixture.ask(FileRequest::Search(request));
        assert!(
            matches!(answer, FileAnswer::Matches { total: 1, .. } | FileAnswer::Names { total: 1, .. }),
            "{answer:?}"
        );
    }
}

#[test]
fn a_folder_with_too_many_names_to_sort_is_searched_alone() {
    let fixture = Fixture::new(&[("small/x", "needle\n"), ("x", "needle\n")]);
    for number in 0..501 {
        fixture.put(&format!("large/{number}"), "needle\n");
    }
    let searched = |path: &str| {
        let request = SearchFiles { path: path.to_owned(), ..search(SearchTarget::Content, "needle", ".") };
        let FileAnswer::Matches { total, notes, .. } = fixture.ask(FileRequest::Search(request)) else { panic!() };
        (total, notes)
    };
    let note = format!("{} was not searched: it has more than 500 entries; search in it alone", fixture.shown("large"));
    assert_eq!(searched("."), (2, vec![note]));
    let note = "the folder has more than 500 entries, so the matches are in no order".to_owned();
    assert_eq!(searched("large"), (501, vec![note]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_in_a_file_of_any_name_get_an_answer(
        // No slash: a name that began with one would be a path of the machine's.
        name in proptest::collection::vec(prop_oneof![1u8..=46, 48u8..=255], 1..40),
        bytes in proptest::collection::vec(any::<u8>(), 0..2000),
        text in ".{0,20}", pattern in ".{0,20}", path in ".{0,20}",
    ) {
        let fixture = Fixture::new(&[]);
        // Not every such name is one.
        let _ = fs::write(fixture.folder.path().join("f").join(OsStr::from_bytes(&name)), &bytes);
        fixture.put("x", &bytes);
        let path = path.replace('/', "|").replace("..", "--");
        let path = format!("./{path}");
        for request in [
            read("x"), patch("x", &text, &pattern), write(&path, &text), list(".", 10), read(&path),
            FileRequest::Search(search(SearchTarget::Content, &pattern, ".")),
            FileRequest::Search(search(SearchTarget::Names, &pattern, ".")),
            FileRequest::Search(SearchFiles { file_glob: Some(text.clone()), context: 3, ..search(SearchTarget::Content, "", "x") }),
        ] {
            let answer = fixture.ask(request);
            prop_assert!(serde_json::to_vec(&answer).unwrap().len() < hermes_proto::executor::LONGEST_PAYLOAD);
        }
    }
}
