//! Patching: exactly, loosely, and not at all.

use std::fs;

use hermes_proto::executor::{FileAnswer, FileKind, FileProblem, PatchMode};

use super::{Fixture, patch, patch_in_mode};

/// Patches a file and gives its content and the first note, or the problem.
fn patched(before: &str, old: &str, new: &str, mode: PatchMode) -> Result<(String, Option<String>), FileProblem> {
    let fixture = Fixture::new(&[("x", before)]);
    match fixture.ask(patch_in_mode("x", old, new, mode)) {
        FileAnswer::Patched { notes, .. } => Ok((fixture.content("x"), notes.into_iter().next())),
        FileAnswer::Problem(problem) => {
            assert_eq!(fixture.content("x"), before, "a problem changes nothing");
            Err(problem)
        }
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn an_exact_text_is_replaced() {
    let check = |before: &str, old: &str, new: &str, mode: PatchMode, after: &str| {
        assert_eq!(patched(before, old, new, mode), Ok((after.to_owned(), None)), "{old:?} in {before:?}");
    };
    check("a b c", "b", "x", PatchMode::Unique, "a x c");
    check("a\nb\nc\n", "b\n", "", PatchMode::Unique, "a\nc\n");
    check("a b a b", "b", "xx", PatchMode::All, "a xx a xx");
    check("aaa", "aa", "b", PatchMode::All, "ba");
    check("no end", "end", "end\n", PatchMode::Unique, "no end\n");
    check("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", PatchMode::Unique, "x\r\ny\r\nc\r\n");
    check("a\r\nb\r\n", "a", "x\ny", PatchMode::Unique, "x\r\ny\r\nb\r\n");
    check("a\r\na\r\n", "a\n", "b\nc\n", PatchMode::All, "b\r\nc\r\nb\r\nc\r\n");
    check("a\r\nb\r\n", "a\r\n", "a\n", PatchMode::Unique, "a\nb\r\n");
    check("", "", "new\n", PatchMode::Unique, "new\n");
}

#[test]
fn a_text_that_differs_in_white_space_is_found_and_indented_like_the_file() {
    let check = |before: &str, old: &str, new: &str, after: &str, note: &str| {
        let (seen, said) = patched(before, old, new, PatchMode::Unique).unwrap();
        assert_eq!(seen, after, "{old:?} in {before:?}");
        assert!(said.as_deref().is_some_and(|said| said.contains(note)), "{said:?}");
    };
    check("a  \nb\t\nc\n", "a\nb\n", "x\n", "x\nc\n", "at the end of lines");
    check("if x:\n    one\n    two\n", "one\ntwo\n", "1\n  2\n", "if x:\n    1\n      2\n", "indented like the file");
    check(
        "    {\n        a;\n    }\n",
        "  {\n      a;\n  }\n",
        "  {\n      b;\n  }\n",
        "    {\n        b;\n    }\n",
        "indented like the file",
    );
    check(
        "\ta {\n\t\tb\n\t}\n",
        "    a {\n        b\n    }\n",
        "    a {\n        c\n    }\n",
        "\ta {\n\t\tc\n\t}\n",
        "indented otherwise",
    );
    check("let  x =  1;\ny\n", "let x = 1;", "let x = 2;", "let x = 2;\ny\n", "inside lines");
    check("  a\r\n  b\r\n", "a\nb\n", "x\ny\n", "  x\r\n  y\r\n", "indented like the file");
    check("a\r\nb  \nc\n", "b\nc\n", "x\ny\n", "a\r\nx\ny\n", "at the end of lines");
    check("a\n  b", "b\n", "c\n", "a\n  c", "indented like the file");
}

#[test]
fn a_text_that_differs_in_escapes_or_few_characters_is_found() {
    let check = |before: &str, old: &str, new: &str, after: &str, note: &str| {
        let (seen, said) = patched(before, old, new, PatchMode::Unique).unwrap();
        assert_eq!(seen, after, "{old:?} in {before:?}");
        assert!(said.as_deref().is_some_and(|said| said.contains(note)), "{said:?}");
    };
    check("say(\"hi\")\n", r#"say(\"hi\")"#, r#"say(\"ho\")"#, "say(\"ho\")\n", "backslash escapes");
    check("a\n\tb\nc\n", r"a\n\tb", r"x\n\ty", "x\n\ty\nc\n", "backslash escapes");
    let block = "fn a() {\n    let total = first_value + second_value;\n    total * 2\n}\n";
    let misquoted = "fn a() {\n    let total = first_value + second_valeu;\n    total * 2\n}\n";
    check(block, misquoted, "fn a() {}\n", "fn a() {}\n", "some characters differ");
}

#[test]
fn several_places_are_told_with_their_lines() {
    let check = |before: &str, old: &str, lines: &[usize]| {
        let Err(FileProblem::SeveralMatches { places, lines: seen, .. }) =
            patched(before, old, "new", PatchMode::Unique)
        else {
            panic!("{old:?}")
        };
        assert_eq!((seen.as_slice(), places), (lines, lines.len()));
    };
    check("a\nb\na\nb a\n", "a", &[1, 3, 4]);
    check("aaa", "aa", &[1, 1]);
    check("  a\nb\n    a\n", "a \n", &[1, 3]);
    check("a  b\na   b\n", "a b", &[1, 2]);
    check("\"a\"\n\"a\"\n", r#"\"a\""#, &[1, 2]);
    let block = |text: &str| format!("begin\n{}{text}\nend\n", "x".repeat(40));
    check(&(block("1") + &block("2")), &block("3"), &[1, 4]);
}

#[test]
fn the_strictest_way_that_finds_something_decides() {
    let before = "  a\n    b\n\n a\n b\n";
    let (after, _) = patched(before, "a\n  b\n", "x\n  y\n", PatchMode::Unique).unwrap();
    assert_eq!(after, "  x\n    y\n\n a\n b\n", "the other place differs in its inner indentation");
}

#[test]
fn what_cannot_be_placed_safely_is_not_placed() {
    let check = |before: &str, old: &str, nearest: Option<&str>| {
        let Err(FileProblem::NoMatch { nearest: seen, .. }) = patched(before, old, "new", PatchMode::Unique) else {
            panic!("{old:?}")
        };
        assert_eq!(seen.as_deref(), nearest, "{old:?} in {before:?}");
    };
    check("if x:\n    one()\n        two()\n", "one()\ntwo()\n", Some("1: if x:\n2:     one()\n3:         two()\n"));
    check("first line\nsecond line\n", "second lime", Some("1: first line\n2: second line\n"));
    check("a\n\n\nb\n", "\n \n \n \n", None);
    let far = "begin\nsomething that is long enough\nend\n";
    check(
        far,
        "begin\nnothing of all this is the same\nend\n",
        Some("1: begin\n2: something that is long enough\n3: end\n"),
    );
}

#[test]
fn all_takes_only_exact_places() {
    let problem = patched("  a\n", "a  \n", "b\n", PatchMode::All).unwrap_err();
    assert!(matches!(problem, FileProblem::NoMatch { .. }), "{problem:?}");
}

#[test]
fn the_difference_is_shown() {
    let before: String = (1..=20).map(|number| format!("line {number}\n")).collect();
    let fixture = Fixture::new(&[("src/x", &before)]);
    let FileAnswer::Patched { diff, places, path, notes } = fixture.ask(patch("src/x", "line 10\n", "ten\nand more\n"))
    else {
        panic!()
    };
    let expected = "--- a/src/x\n+++ b/src/x\n@@ -7,7 +7,8 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n+and more\n \
                    line 11\n line 12\n line 13\n";
    assert_eq!(diff, expected);
    assert_eq!((places, path, notes), (1, fixture.shown("src/x"), vec![]));
}

#[test]
fn an_empty_old_text_makes_a_file() {
    let fixture = Fixture::new(&[("empty", ""), ("full", "x")]);
    let answer = fixture.ask(patch("a/new", "", "one\ntwo"));
    let FileAnswer::Patched { diff, places: 1, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(diff, "--- /dev/null\n+++ b/a/new\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n");
    assert_eq!(fixture.content("a/new"), "one\ntwo");
    assert!(matches!(fixture.ask(patch("empty", "", "x")), FileAnswer::Patched { .. }));
    assert_eq!(fixture.problem(patch("full", "", "y")), FileProblem::NothingToReplace { path: fixture.shown("full") });
    assert!(matches!(fixture.problem(patch("absent", "x", "y")), FileProblem::NotFound { .. }));
    let unchanged = FileProblem::Unchanged { path: fixture.shown("full") };
    assert_eq!(fixture.problem(patch("full", "x", "x")), unchanged);
}

#[test]
fn bytes_that_are_not_text_stay_as_they_are() {
    let fixture = Fixture::new(&[]);
    fixture.put("latin", b"gr\xf6\xdfe = 1\n  b\n\xff\n");
    assert!(matches!(fixture.ask(patch("latin", "= 1", "= 2")), FileAnswer::Patched { .. }));
    assert!(matches!(fixture.ask(patch("latin", "b\n", "c\n")), FileAnswer::Patched { .. }));
    assert_eq!(fs::read(fixture.path("latin")).unwrap(), b"gr\xf6\xdfe = 2\n  c\n\xff\n");
}

#[test]
fn only_text_files_are_patched() {
    let fixture = Fixture::new(&[("folder/x", "")]);
    fixture.put("binary", b"a\0b");
    fixture.put("utf16", b"\xff\xfea\0");
    fixture.fifo("fifo");
    fixture.put("target", "old");
    fixture.link("link", "target");
    assert!(matches!(fixture.problem(patch("binary", "a", "b")), FileProblem::Binary { .. }));
    let FileProblem::Binary { looks_like, .. } = fixture.problem(patch("utf16", "a", "b")) else { panic!() };
    assert!(looks_like.contains("iconv"));
    let not_a_file = |path: &str, kind| FileProblem::NotAFile { path: fixture.shown(path), kind };
    assert_eq!(fixture.problem(patch("fifo", "a", "b")), not_a_file("fifo", FileKind::Fifo));
    assert_eq!(fixture.problem(patch("folder", "a", "b")), not_a_file("folder", FileKind::Folder));
    assert!(matches!(fixture.ask(patch("link", "old", "new")), FileAnswer::Patched { .. }));
    assert!(fs::symlink_metadata(fixture.path("link")).unwrap().is_symlink());
    assert_eq!(fixture.content("target"), "new");
}
