//! Reading: ranges, encodings, binary files, and what is not there.

use std::path::Path;

use hermes_proto::executor::{FileAnswer, FileKind, FileProblem};
use tokio_util::sync::CancellationToken;

use super::{Fixture, lines, read};
use crate::files::{Place, handle};

#[test]
fn a_range_of_lines_is_read_as_it_is() {
    let fixture = Fixture::new(&[("crlf", "one\r\ntwo\r\nthree"), ("empty", "")]);
    let check = |path: &str, offset, limit, content: &str, total, is_cut, note: Option<&str>| {
        let answer = fixture.ask(lines(path, offset, limit));
        let FileAnswer::Text { content: seen, first_line, total_lines, is_cut: cut, notes, lines, .. } = answer else {
            panic!("{answer:?}");
        };
        assert_eq!((seen.as_str(), total_lines, cut), (content, Some(total), is_cut), "{path} {offset} {limit}");
        assert_eq!(lines, content.split_inclusive('\n').count());
        assert_eq!(first_line, offset.max(1));
        assert_eq!(notes.first().map(String::as_str), note);
    };
    check("crlf", 1, 10, "one\r\ntwo\r\nthree", 3, false, None);
    check("crlf", 0, 10, "one\r\ntwo\r\nthree", 3, false, None);
    check("crlf", 2, 1, "two\r\n", 3, true, Some("the file goes on; continue with offset 3"));
    check("crlf", 3, 1, "three", 3, false, None);
    check("crlf", 9, 1, "", 3, false, Some("the file has only 3 lines, so there is no line 9"));
    check(
        "crlf",
        usize::MAX,
        usize::MAX,
        "",
        3,
        false,
        Some(&format!("the file has only 3 lines, so there is no line {}", usize::MAX)),
    );
    check("empty", 1, 10, "", 0, false, None);
    check(&fixture.shown("crlf"), 1, 1, "one\r\n", 3, true, Some("the file goes on; continue with offset 2"));
}

#[test]
fn encodings_are_decoded_and_said() {
    let fixture = Fixture::new(&[]);
    let utf16 = |text: &str, to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(to_bytes).collect()
    };
    fixture.put("little", utf16("größe\r\n😀\n", u16::to_le_bytes));
    fixture.put("big", utf16("größe\r\n😀\n", u16::to_be_bytes));
    fixture.put("marked", "\u{feff}größe\n");
    fixture.put("latin", b"gr\xf6\xdfe\n");
    fixture.put("late nul", [b"x\n".repeat(5000).as_slice(), b"\0\n"].concat());
    let check = |path: &str, content: &str, note: &str| {
        let FileAnswer::Text { content: seen, notes, .. } = fixture.ask(read(path)) else { panic!("{path}") };
        assert_eq!(seen, content, "{path}");
        assert_eq!(notes[0], note, "{path}");
    };
    check("little", "größe\r\n😀\n", "the file is UTF-16; it is shown decoded");
    check("big", "größe\r\n😀\n", "the file is UTF-16; it is shown decoded");
    check("marked", "größe\n", "the file begins with a UTF-8 byte order mark, which is not shown");
    check("latin", "gr\u{fffd}\u{fffd}e\n", "the file is not all UTF-8; each part that is not is shown as \u{fffd}");
    let FileAnswer::Text { content, notes, .. } = fixture.ask(lines("late nul", 5001, 1)) else { panic!() };
    assert_eq!(
        (content.as_str(), notes.as_slice()),
        ("\0\n", ["the lines shown contain nul characters".to_owned()].as_slice())
    );
}

#[test]
fn a_binary_file_is_named_and_not_shown() {
    let fixture = Fixture::new(&[]);
    fixture.put("x.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let problem = fixture.problem(read("x.png"));
    let expected = FileProblem::Binary { path: fixture.shown("x.png"), size: 16, looks_like: "PNG picture".to_owned() };
    assert_eq!(problem, expected);
}

#[test]
fn what_is_not_a_file_is_told_at_once() {
    let fixture = Fixture::new(&[("folder/x", "")]);
    fixture.fifo("fifo");
    let _socket = std::os::unix::net::UnixListener::bind(fixture.path("socket")).unwrap();
    fixture.link("to fifo", "fifo");
    fixture.link("circle", "circle");
    let check = |path: &str, kind: FileKind| {
        assert_eq!(fixture.problem(read(path)), FileProblem::NotAFile { path: fixture.shown(path), kind }, "{path}");
    };
    check("folder", FileKind::Folder);
    check("fifo", FileKind::Fifo);
    check("to fifo", FileKind::Fifo);
    check("socket", FileKind::Socket);
    check("/dev/null", FileKind::Device);
    let FileProblem::Other { detail, .. } = fixture.problem(read("circle")) else { panic!() };
    assert_eq!(detail, "cannot be opened: symbolic links lead in a circle");
    let problem = fixture.problem(read("folder/x/below"));
    assert_eq!(problem, FileProblem::NotAFolder { path: fixture.shown("folder/x") });
}

#[test]
fn files_of_proc_are_read_although_they_have_no_size() {
    let fixture = Fixture::new(&[]);
    let FileAnswer::Text { content, size, .. } = fixture.ask(read("/proc/self/status")) else { panic!() };
    assert!(size == 0 && content.contains("VmRSS"));
}

#[test]
fn a_missing_file_brings_similar_names() {
    let fixture = Fixture::new(&[("src/main.rs", ""), ("src/lib.rs", ""), ("README.md", ""), ("settings.toml", "")]);
    let check = |path: &str, similar: &[&str]| {
        let similar = similar.iter().map(|name| fixture.shown(name)).collect();
        assert_eq!(fixture.problem(read(path)), FileProblem::NotFound { path: fixture.shown(path), similar }, "{path}");
    };
    check("readme.md", &["README.md"]);
    check("README", &["README.md"]);
    check("src/mian.rs", &["src/main.rs"]);
    check("scr/main.rs", &["src/main.rs"]);
    check("scr/absent.rs", &["src"]);
    check("settings.yaml", &["settings.toml"]);
    check("zzz", &[]);
}

#[test]
fn a_file_of_another_says_whose_it_is() {
    let fixture = Fixture::new(&[("secret", "x")]);
    fixture.mode("secret", 0o000);
    let FileAnswer::Problem(FileProblem::NotPermitted { path, detail }) = fixture.ask_as_ordinary_user(read("secret"))
    else {
        panic!()
    };
    assert_eq!(path, fixture.shown("secret"));
    assert!(detail.starts_with("cannot be opened: permission denied; it belongs to user "), "{detail}");
    assert!(detail.contains(" with mode 0000, and this is user "), "{detail}");
}

#[test]
fn the_home_is_known_if_it_is_given() {
    let fixture = Fixture::new(&[("x", "at home")]);
    let never = CancellationToken::new();
    let place = Place { working_directory: Path::new("/"), home: Some(fixture.folder.path()), received: None };
    assert!(matches!(handle(read("~/x"), place, &never), FileAnswer::Text { content, .. } if content == "at home"));
    let answer = handle(read("~/x"), Path::new("/"), &never);
    assert!(matches!(answer, FileAnswer::Problem(FileProblem::BadPath { .. })), "{answer:?}");
}

#[test]
fn a_cancelled_reading_is_said() {
    let fixture = Fixture::new(&[("x", "x")]);
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let answer = handle(read("x"), fixture.folder.path(), &cancelled);
    assert_eq!(answer, FileAnswer::Problem(FileProblem::Cancelled { path: fixture.shown("x") }));
}
