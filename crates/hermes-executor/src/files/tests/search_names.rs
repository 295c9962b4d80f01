//! Searching names.

use std::fs::File;
use std::time::{Duration, SystemTime};

use hermes_proto::executor::{FileAnswer, FileProblem, FileRequest, SearchFiles, SearchTarget};

use super::Fixture;

fn names(pattern: &str, path: &str) -> SearchFiles {
    super::search(SearchTarget::Names, pattern, path)
}

/// A small project; the files get older in this order.
fn project() -> Fixture {
    let files = ["src/main.rs", "src/deep/x.rs", "src/lib.rs", "notes.md", ".env", ".github/ci.yml", "target/out.rs"];
    let fixture = Fixture::new(&[(".gitignore", "target\n"), (".git/config", "")]);
    for (age, name) in files.iter().enumerate() {
        fixture.put(name, "");
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age as u64);
        File::options().write(true).open(fixture.path(name)).unwrap().set_modified(then).unwrap();
    }
    fixture
}

#[test]
fn globs_find_the_newest_first() {
    let fixture = project();
    let check = |pattern: &str, path: &str, expected: &[&str]| {
        let FileAnswer::Names { paths, total, is_cut, .. } = fixture.ask(FileRequest::Search(names(pattern, path)))
        else {
            panic!()
        };
        assert_eq!(paths, expected, "{pattern} in {path}");
        assert_eq!((total, is_cut), (expected.len(), false));
    };
    check("*.rs", ".", &["src/main.rs", "src/deep/x.rs", "src/lib.rs"]);
    check("src/**/x.rs", ".", &["src/deep/x.rs"]);
    check("src/*.rs", ".", &["src/main.rs", "src/lib.rs"]);
    check("*", "src", &["src/main.rs", "src/deep/x.rs", "src/lib.rs"]);
    check("deep/*", "./src/", &["src/deep/x.rs"]);
    check("*.rs", "target", &["target/out.rs"]);
    check(".env*", ".", &[".env"]);
    check(".github/**", ".", &[".github/ci.yml"]);
    check("config", ".", &[]);
    check("absent", ".", &[]);
}

#[test]
fn names_come_in_pages() {
    let fixture = project();
    let check = |offset, limit, expected: &[&str], is_cut: bool| {
        let request = SearchFiles { offset, limit, ..names("*.rs", ".") };
        let FileAnswer::Names { paths, total, is_cut: cut, .. } = fixture.ask(FileRequest::Search(request)) else {
            panic!()
        };
        assert_eq!(paths, expected, "{offset} {limit}");
        assert_eq!((total, cut), (3, is_cut));
    };
    check(0, 2, &["src/main.rs", "src/deep/x.rs"], true);
    check(2, 2, &["src/lib.rs"], false);
    check(9, 2, &[], false);
    check(0, 0, &[], true);
    check(usize::MAX, usize::MAX, &[], false);
}

#[test]
fn what_cannot_be_searched_is_told() {
    let fixture = project();
    let problem = |request| fixture.problem(FileRequest::Search(request));
    assert_eq!(problem(names("*", "notes.md")), FileProblem::NotAFolder { path: fixture.shown("notes.md") });
    assert!(matches!(problem(names("*", "absent")), FileProblem::NotFound { .. }));
    assert!(matches!(problem(names("[", ".")), FileProblem::BadPattern { .. }));
    let other = SearchFiles { file_glob: Some("{".to_owned()), ..names("*", ".") };
    assert!(matches!(problem(other), FileProblem::BadPattern { .. }));
}
