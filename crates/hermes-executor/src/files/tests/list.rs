//! Listing folders.

use hermes_proto::executor::{FileAnswer, FileEntry, FileKind, FileProblem};

use super::{Fixture, list};

fn entry(name: &str, kind: FileKind, size: u64) -> FileEntry {
    FileEntry { name: name.to_owned(), is_exact_name: true, kind, size, target: None }
}

#[test]
fn entries_are_in_order_with_kind_and_size() {
    let fixture = Fixture::new(&[("b", "four"), (".hidden", ""), ("two\nlines", "x")]);
    fixture.link("c", "b");
    fixture.fifo("a");
    let FileAnswer::Entries { entries, total } = fixture.ask(list(".", 100)) else { panic!() };
    let link = FileEntry { target: Some("b".to_owned()), ..entry("c", FileKind::Link, 1) };
    let hostile = FileEntry { is_exact_name: false, ..entry(r"$'two\x0alines'", FileKind::File, 1) };
    assert_eq!(
        entries,
        [
            entry(".hidden", FileKind::File, 0),
            entry("a", FileKind::Fifo, 0),
            entry("b", FileKind::File, 4),
            link,
            hostile
        ]
    );
    assert_eq!(total, 5);
}

#[test]
fn the_first_names_are_kept_and_all_are_counted() {
    let fixture = Fixture::new(&[]);
    for number in (0..300).rev() {
        fixture.put(&format!("{number:03}"), "");
    }
    let FileAnswer::Entries { entries, total } = fixture.ask(list(".", 3)) else { panic!() };
    let names: Vec<_> = entries.into_iter().map(|entry| entry.name).collect();
    assert_eq!((names.join(" ").as_str(), total), ("000 001 002", 300));
    assert_eq!(fixture.ask(list(".", 0)), FileAnswer::Entries { entries: vec![], total: 300 });
}

#[test]
fn only_a_folder_can_be_listed() {
    let fixture = Fixture::new(&[("file", ""), ("src/x", "")]);
    assert_eq!(fixture.problem(list("file", 1)), FileProblem::NotAFolder { path: fixture.shown("file") });
    let similar = vec![fixture.shown("src")];
    assert_eq!(fixture.problem(list("scr", 1)), FileProblem::NotFound { path: fixture.shown("scr"), similar });
    fixture.mode("src", 0o000);
    let answer = fixture.ask_as_ordinary_user(list("src", 1));
    assert!(matches!(answer, FileAnswer::Problem(FileProblem::NotPermitted { .. })), "{answer:?}");
    fixture.mode("src", 0o755);
}
