//! Searching content.

use hermes_proto::executor::{FileAnswer, FileKind, FileProblem, FileRequest, LineRole, SearchFiles, SearchTarget};
use tokio_util::sync::CancellationToken;

use super::Fixture;
use crate::files::handle;

fn content(pattern: &str, path: &str) -> SearchFiles {
    super::search(SearchTarget::Content, pattern, path)
}

/// Lines as ripgrep prints them, whether there are more, and how many in all.
fn found(fixture: &Fixture, request: SearchFiles) -> (Vec<String>, bool, usize) {
    let answer = fixture.ask(FileRequest::Search(request));
    let FileAnswer::Matches { lines, total, is_cut, .. } = answer else { panic!("{answer:?}") };
    let line = |line: &hermes_proto::executor::FoundLine| {
        let sign = if line.role == LineRole::Match { ':' } else { '-' };
        format!("{}{sign}{}{sign}{}", line.path, line.line, line.text)
    };
    (lines.iter().map(line).collect(), is_cut, total)
}

fn notes(fixture: &Fixture, request: SearchFiles) -> Vec<String> {
    let answer = fixture.ask(FileRequest::Search(request));
    let FileAnswer::Matches { notes, .. } = answer else { panic!("{answer:?}") };
    notes
}

fn project() -> Fixture {
    let fixture = Fixture::new(&[
        (".gitignore", "*.log\n"),
        (".git/config", "needle\n"),
        ("b.txt", "one\nneedle two\nthree\nfour needle\n"),
        ("a/z.rs", "fn needle() {}\n"),
        ("a/b.rs", "// no\r\n// needle\r\n"),
        ("x.log", "needle\n"),
        (".hidden", "needle\n"),
    ]);
    fixture.put("image", b"needle\n\0\0needle\n");
    fixture.put(
        "utf16",
        [0xfeff].into_iter().chain("wide needle\n".encode_utf16()).flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
    );
    fixture.link("to b", "b.txt");
    fixture.link("circle", ".");
    fixture.fifo("fifo");
    fixture
}

#[test]
fn lines_are_found_in_the_order_of_their_paths() {
    let fixture = project();
    let check = |request: SearchFiles, expected: &[&str]| {
        let (lines, is_cut, _) = found(&fixture, request);
        assert_eq!((lines.iter().map(String::as_str).collect::<Vec<_>>(), is_cut), (expected.to_vec(), false));
    };
    let all = [
        "a/b.rs:2:// needle",
        "a/z.rs:1:fn needle() {}",
        "b.txt:2:needle two",
        "b.txt:4:four needle",
        "utf16:1:wide needle",
    ];
    check(content("needle", "."), &all);
    check(content("needle$", "a"), &["a/b.rs:2:// needle"]);
    check(content("needle", "b.txt"), &["b.txt:2:needle two", "b.txt:4:four needle"]);
    check(content("(?i)NEEDLE t", "./b.txt"), &["b.txt:2:needle two"]);
    check(content("needle", "x.log"), &["x.log:1:needle"]);
    check(content("needle", ".hidden"), &[".hidden:1:needle"]);
    check(content("needle", "to b"), &["to b:2:needle two", "to b:4:four needle"]);
    check(content("needle", "circle/a"), &["circle/a/b.rs:2:// needle", "circle/a/z.rs:1:fn needle() {}"]);
    check(SearchFiles { file_glob: Some("*.rs".to_owned()), ..content("needle", ".") }, &all[..2]);
    check(SearchFiles { file_glob: Some("a/b*".to_owned()), ..content("needle", ".") }, &all[..1]);
    check(SearchFiles { file_glob: Some(".h*".to_owned()), ..content("needle", ".") }, &[".hidden:1:needle"]);
    let absolute = fixture.shown("a");
    check(content("fn ", &absolute), &[&format!("{absolute}/z.rs:1:fn needle() {{}}")]);
    check(content("absent", "."), &[]);
}

#[test]
fn matches_come_in_pages_with_their_context() {
    let fixture = Fixture::new(&[("x", "1\nneedle 2\n3\nneedle 4\n5\n6\n7\nneedle 8\n9\n")]);
    let check = |offset, limit, context, expected: &[&str], is_cut: bool| {
        let request = SearchFiles { offset, limit, context, ..content("needle", ".") };
        let (lines, cut, total) = found(&fixture, request);
        assert_eq!(lines, expected, "{offset} {limit} {context}");
        assert_eq!((cut, total), (is_cut, 3));
    };
    check(0, 1, 0, &["x:2:needle 2"], true);
    check(0, 1, 1, &["x-1-1", "x:2:needle 2", "x-3-3"], true);
    check(1, 1, 1, &["x-3-3", "x:4:needle 4", "x-5-5"], true);
    check(0, 2, 1, &["x-1-1", "x:2:needle 2", "x-3-3", "x:4:needle 4", "x-5-5"], true);
    check(2, 9, 2, &["x-6-6", "x-7-7", "x:8:needle 8", "x-9-9"], false);
    check(1, 1, 2, &["x-3-3", "x:4:needle 4", "x-5-5", "x-6-6"], true);
    check(3, 9, 1, &[], false);
    check(0, 0, 0, &[], true);
    check(usize::MAX, usize::MAX, usize::MAX, &[], false);
}

#[test]
fn a_long_line_and_a_flood_of_matches_are_bounded() {
    let fixture = Fixture::new(&[]);
    fixture.put("long", format!("{}needle{}\n", "a".repeat(100_000), "b".repeat(100_000)));
    fixture.put("many", "match\n".repeat(50_000));
    let (lines, ..) = found(&fixture, content("needle", "long"));
    assert!(lines[0].chars().count() < 600 && lines[0].contains("needle") && lines[0].ends_with('…'));
    let flood = || SearchFiles { limit: usize::MAX, ..content("match", "many") };
    let (lines, is_cut, total) = found(&fixture, flood());
    assert!(is_cut && total == 10_000 && lines.len() < 10_000);
    let notes = notes(&fixture, flood());
    assert!(notes[0].starts_with("counting stopped at 10000 matches"), "{notes:?}");
    assert_eq!(notes[1], format!("the answer is full; continue with offset {}", lines.len()));
}

#[test]
fn a_bad_pattern_is_shown_with_its_place() {
    let fixture = Fixture::new(&[("x", "x")]);
    let check = |pattern: &str, expected: &str| {
        let problem = fixture.problem(FileRequest::Search(content(pattern, ".")));
        let FileProblem::BadPattern { detail, .. } = problem else { panic!("{problem:?}") };
        assert!(detail.contains(expected), "{detail}");
    };
    check("a(b", "    a(b\n     ^\nerror: unclosed group");
    check("a\nb", "lines are searched one by one");
    check(r"a\nb", "lines are searched one by one");
    check("(((a{100}){100}){100}){100}", "size limit");
    check(&"(".repeat(9000), "error");
    check(&"a".repeat(20_000), "at most");
}

#[test]
fn what_was_not_searched_is_said() {
    let fixture = Fixture::new(&[("closed/x", "needle\n"), ("locked", "needle\n"), ("open", "needle\n")]);
    fixture.put("binary", b"needle\n\0");
    fixture.put("endless", vec![b'x'; 20 * 1024 * 1024]);
    fixture.mode("closed", 0o000);
    fixture.mode("locked", 0o000);
    let answer = fixture.ask_as_ordinary_user(FileRequest::Search(content("needle", ".")));
    let FileAnswer::Matches { lines, notes, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(lines.last().map(|line| line.path.as_str()), Some("open"));
    let said = |text: &str| assert!(notes.iter().any(|note| note.contains(text)), "{text} in {notes:#?}");
    said(&format!("{} was not searched: permission denied", fixture.shown("closed")));
    said(&format!("{}: cannot be opened: permission denied", fixture.shown("locked")));
    said("endless was not searched to its end: ");
    fixture.mode("closed", 0o755);
    let nothing = self::notes(&fixture, content("absent", "open"));
    assert!(nothing[0].starts_with("nothing matches; hidden"), "{nothing:?}");
    let problem = fixture.problem(FileRequest::Search(content("needle", "binary")));
    assert!(matches!(problem, FileProblem::Binary { size: 8, .. }), "{problem:?}");
    fixture.put("log", [b"line\n".repeat(2000).as_slice(), b"\0\0needle\0\n"].concat());
    assert_eq!(found(&fixture, content("needle", "log")).0, ["log:2003:needle"]);
    let log = self::notes(&fixture, content("needle", "log"));
    assert_eq!(log, ["log has nul bytes, the first at byte 10000; they were taken as line ends"]);
}

#[test]
fn only_files_and_folders_are_searched() {
    let fixture = project();
    let check = |path: &str, kind| {
        let problem = fixture.problem(FileRequest::Search(content("x", path)));
        assert_eq!(problem, FileProblem::NotAFile { path: fixture.shown(path), kind });
    };
    check("fifo", FileKind::Fifo);
    check("/dev/zero", FileKind::Device);
    assert!(matches!(fixture.problem(FileRequest::Search(content("x", "absent"))), FileProblem::NotFound { .. }));
}

#[test]
fn a_cancelled_search_ends() {
    let fixture = project();
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    for (target, path) in [(SearchTarget::Content, "."), (SearchTarget::Content, "b.txt"), (SearchTarget::Names, ".")] {
        let request = FileRequest::Search(super::search(target, "x", path));
        let answer = handle(request, fixture.folder.path(), &cancelled);
        assert!(matches!(answer, FileAnswer::Problem(FileProblem::Cancelled { .. })), "{answer:?}");
    }
}
