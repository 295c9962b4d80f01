//! What an operation may cost: memory does not grow with the file, an answer fits a frame.

use std::fs::{self, File};
use std::io::Write;

use hermes_proto::executor::{
    FileAnswer, FileProblem, FileRequest, LONGEST_PAYLOAD, PatchMode, SearchFiles, SearchTarget,
};

use super::{Fixture, lines, list, patch, patch_in_mode, read, search};

const HUGE: u64 = 300 * 1024 * 1024;

/// The most memory this process had so far. Each test has a process of its own.
fn peak_kilobytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn grows_by_less_than(kilobytes: u64, work: impl FnOnce()) {
    let before = peak_kilobytes();
    work();
    let grown = peak_kilobytes() - before;
    assert!(grown < kilobytes, "grew by {grown} kB");
}

#[test]
fn a_huge_sparse_file_costs_no_memory() {
    let fixture = Fixture::new(&[]);
    let mut file = File::create(fixture.path("zeros")).unwrap();
    file.set_len(HUGE).unwrap();
    file = File::create(fixture.path("text")).unwrap();
    for number in 0..1000 {
        writeln!(file, "line {number} with some text in it").unwrap();
    }
    file.set_len(HUGE).unwrap();
    grows_by_less_than(40_000, || {
        assert!(matches!(fixture.problem(read("zeros")), FileProblem::Binary { size: HUGE, .. }));
        let FileAnswer::Text { lines, total_lines, is_cut, .. } = fixture.ask(lines("text", 1, 500)) else { panic!() };
        assert_eq!((lines, total_lines, is_cut), (500, None, true));
        let FileAnswer::Text { content, .. } = fixture.ask(super::lines("text", 999, 500)) else { panic!() };
        assert!(content.starts_with("line 998 with"));
        let FileAnswer::Text { total_lines, .. } = fixture.ask(super::lines("text", 5000, 1)) else { panic!() };
        assert_eq!(total_lines, Some(1001), "what is asked for is counted, however long it takes");
        let request = SearchFiles { limit: 5, ..search(SearchTarget::Content, "some text", "text") };
        let FileAnswer::Matches { lines, total, .. } = fixture.ask(FileRequest::Search(request)) else { panic!() };
        assert_eq!((lines.len(), total), (5, 1000));
        let problem = fixture.problem(patch("text", "line 1 ", "line one "));
        assert!(matches!(problem, FileProblem::TooLarge { size: HUGE, .. }), "{problem:?}");
    });
}

#[test]
fn one_letter_replaced_everywhere_stays_within_bounds() {
    let fixture = Fixture::new(&[]);
    fixture.put("letters", "a".repeat(8 * 1024 * 1024));
    fixture.put("lines", "a\n".repeat(90_000));
    let long = "b".repeat(100_000);
    grows_by_less_than(150_000, || {
        let problem = fixture.problem(patch_in_mode("letters", "a", &long, PatchMode::All));
        assert!(matches!(problem, FileProblem::Other { .. }), "{problem:?}");
        let problem = fixture.problem(patch_in_mode("lines", "a", &long, PatchMode::All));
        assert!(matches!(problem, FileProblem::TooLarge { size: 9_000_090_000, .. }), "{problem:?}");
        let answer = fixture.ask(patch_in_mode("lines", "a", "bb", PatchMode::All));
        let FileAnswer::Patched { diff, places: 90_000, notes, .. } = answer else { panic!("{answer:?}") };
        assert!(diff.len() < 30_000 && notes == ["the diff is cut; the file was changed as a whole"]);
        assert_eq!(fixture.content("lines"), "bb\n".repeat(90_000));
    });
}

#[test]
fn every_answer_fits_a_frame() {
    let fixture = Fixture::new(&[]);
    // Every character of these takes six bytes as JSON.
    fixture.put("many", format!("{}\n", "\u{1}".repeat(1900)).repeat(200));
    fixture.put("short", "\u{1}\n".repeat(20_000));
    for number in 0..5000 {
        fixture.put(&format!("folder/{number}{}", "\u{1}".repeat(60)), "");
    }
    let all = |target, pattern| {
        FileRequest::Search(SearchFiles { limit: usize::MAX, context: 50, ..search(target, pattern, ".") })
    };
    for request in [
        lines("many", 1, usize::MAX),
        lines("short", 1, usize::MAX),
        list("folder", usize::MAX),
        all(SearchTarget::Content, "\u{1}"),
        all(SearchTarget::Names, "*"),
        patch("many", "\u{1}", "x"),
        patch_in_mode("many", "\u{1}\n", "x\n", PatchMode::All),
        patch("short", &"\u{2}".repeat(500_000), "x"),
        read(&"\u{1}".repeat(500_000)),
        FileRequest::Search(search(SearchTarget::Content, &"\u{1}".repeat(500_000), ".")),
    ] {
        let answer = fixture.ask(request);
        let length = serde_json::to_vec(&answer).unwrap().len();
        assert!(length < LONGEST_PAYLOAD, "{length} bytes");
    }
}
