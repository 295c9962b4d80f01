//! Patches against an independent implementation: what `patch` makes of our difference, and
//! what the standard library makes of an exact replacement.

use std::fs;

use hermes_proto::executor::{FileAnswer, FileProblem, PatchMode};
use hermes_sandbox::process::Helper;
use proptest::prelude::*;

use super::{Fixture, patch_in_mode};

/// The old content with the difference applied by the program `patch`.
fn applied_by_program(before: &str, diff: &str) -> String {
    let fixture = Fixture::new(&[("old", before), ("diff", diff)]);
    let result = Helper::new("patch")
        .args(["--binary", "--fuzz=0", "--silent", "--output", &fixture.shown("new")])
        .args([fixture.shown("old"), fixture.shown("diff")])
        .environment([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("TMPDIR", &fixture.shown(""))])
        .run();
    result.unwrap_or_else(|error| panic!("{error}\n{diff}"));
    fs::read_to_string(fixture.path("new")).unwrap_or_default()
}

fn check_difference(before: &str, after: &str, answer: &FileAnswer) {
    let FileAnswer::Patched { diff, notes, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(notes, &Vec::<String>::new());
    assert_eq!(applied_by_program(before, diff), after, "{diff}");
}

fn text(lines: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    (proptest::collection::vec("[ab]{0,2}", lines), "\n?").prop_map(|(lines, end)| lines.join("\n") + &end)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_occurrence_is_replaced_and_the_difference_says_so(
        before in text(1..40), old in "[ab\n]{1,3}", new in "[abc\n]{0,6}",
    ) {
        let fixture = Fixture::new(&[("x", &before)]);
        let answer = fixture.ask(patch_in_mode("x", &old, &new, PatchMode::All));
        let expected = before.replace(&old, &new);
        prop_assert_eq!(fixture.content("x"), expected.as_str());
        match answer {
            FileAnswer::Patched { places, .. } => {
                prop_assert_eq!(places, before.matches(&old).count());
                check_difference(&before, &expected, &answer);
            }
            FileAnswer::Problem(FileProblem::NoMatch { .. }) => prop_assert!(!before.contains(&old)),
            FileAnswer::Problem(FileProblem::Unchanged { .. }) => prop_assert_eq!(&before, &expected),
            answer => prop_assert!(false, "{answer:?}"),
        }
    }

    #[test]
    fn a_unique_piece_is_replaced_in_a_file_of_any_line_ends(
        head in text(0..12), tail in text(0..12), piece in "[xyz ]{0,5}(\n[xyz]{1,4}){0,3}", new in text(0..6),
        is_crlf in any::<bool>(),
    ) {
        let old = format!("<{piece}>");
        let ends = |text: &str| if is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let before = ends(&format!("{head}{old}{tail}\n"));
        let fixture = Fixture::new(&[("x", &before)]);
        let answer = fixture.ask(patch_in_mode("x", &old, &new, PatchMode::Unique));
        let expected = ends(&format!("{head}{new}{tail}\n"));
        prop_assert_eq!(fixture.content("x"), expected.as_str());
        check_difference(&before, &expected, &answer);
    }

    #[test]
    fn a_piece_quoted_with_another_indentation_goes_where_it_belongs(
        lines in proptest::collection::vec("[a-z]{3,8}", 3..12), first in 0usize..20, count in 1usize..4, shift in 1usize..9,
    ) {
        let lines: Vec<String> = lines.iter().enumerate().map(|(number, line)| format!("{line}{number}")).collect();
        let first = first % lines.len();
        let count = count.min(lines.len() - first);
        let indented = |line: &String| format!("{}{line}\n", " ".repeat(shift));
        let before: String = lines.iter().map(indented).collect();
        let old = lines[first..first + count].join("\n");
        let new = "new\n  deeper";
        let fixture = Fixture::new(&[("x", &before)]);
        let answer = fixture.ask(patch_in_mode("x", &old, new, PatchMode::Unique));
        prop_assert!(matches!(answer, FileAnswer::Patched { .. }), "{answer:?}");
        let space = " ".repeat(shift);
        let middle = match count {
            // One line stands exactly after its indentation.
            1 => format!("{space}new\n  deeper\n"),
            _ => format!("{space}new\n{space}  deeper\n"),
        };
        let expected: String = lines[..first].iter().map(indented).chain([middle]).chain(lines[first + count..].iter().map(indented)).collect();
        prop_assert_eq!(fixture.content("x"), expected);
    }

    #[test]
    fn any_patch_of_any_text_either_shows_its_change_or_changes_nothing(
        before in "([ \t]{0,4}[ab(){};\\\\\"]{0,6}\r?\n){0,12}", old in "[ \tab(){};\\\\\"\n]{1,12}", new in "[ abc\n\\\\]{0,12}",
    ) {
        let fixture = Fixture::new(&[("x", &before)]);
        match fixture.ask(patch_in_mode("x", &old, &new, PatchMode::Unique)) {
            FileAnswer::Patched { diff, places: 1, .. } => {
                prop_assert_eq!(applied_by_program(&before, &diff), fixture.content("x"), "{}", diff);
            }
            FileAnswer::Problem(_) => prop_assert_eq!(fixture.content("x"), before),
            answer => prop_assert!(false, "{answer:?}"),
        }
    }
}
