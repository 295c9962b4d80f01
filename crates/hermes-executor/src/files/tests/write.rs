//! Writing: exactly, in one step, keeping what is not content.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use hermes_proto::executor::{FileAnswer, FileKind, FileProblem};
use rustix::process::geteuid;

use super::{Fixture, write};

fn mode(fixture: &Fixture, name: &str) -> u32 {
    fs::metadata(fixture.path(name)).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_file_is_created_with_its_folders_or_replaced() {
    let fixture = Fixture::new(&[("crlf", "old\r\n")]);
    let check = |path: &str, content: &str, created: bool| {
        let written = fixture.ask(write(path, content));
        let bytes = content.len() as u64;
        assert_eq!(written, FileAnswer::Written { path: fixture.shown(path), bytes, created, notes: vec![] });
        assert_eq!(fixture.content(path), content);
    };
    check("a/b/c", "größe", true);
    check("a/b/c", "", false);
    check("crlf", "no\nend", false);
    check(&"n".repeat(255), "longest name", true);
    assert_eq!(fixture.names("a/b"), ["c"], "nothing is left behind");
}

#[test]
fn mode_and_owner_are_kept_but_not_lent_rights() {
    let fixture = Fixture::new(&[("script", "old"), ("lent", "old")]);
    fixture.mode("script", 0o751);
    fixture.mode("lent", 0o4755);
    if geteuid().is_root() {
        chown(fixture.path("script"), Some(1234), Some(1235)).unwrap();
    }
    for name in ["script", "lent"] {
        fixture.ask(write(name, "new"));
        assert_eq!(fixture.content(name), "new");
    }
    assert_eq!(mode(&fixture, "script"), 0o751);
    assert_eq!(mode(&fixture, "lent"), 0o755);
    if geteuid().is_root() {
        let owner = fs::metadata(fixture.path("script")).unwrap();
        assert_eq!((owner.uid(), owner.gid()), (1234, 1235));
    }
    fixture.ask(write("fresh", ""));
    fs::write(fixture.path("plain"), "").unwrap();
    assert_eq!(mode(&fixture, "fresh"), mode(&fixture, "plain"), "as any program makes one");
}

#[test]
fn a_reader_of_the_old_file_keeps_it_whole() {
    let fixture = Fixture::new(&[("x", "old"), ("other", "")]);
    fs::remove_file(fixture.path("other")).unwrap();
    fs::hard_link(fixture.path("x"), fixture.path("other")).unwrap();
    let FileAnswer::Written { notes, .. } = fixture.ask(write("x", "new")) else { panic!() };
    assert_eq!(notes, ["the file had 1 more hard links; they keep the old content"]);
    assert_eq!((fixture.content("x").as_str(), fixture.content("other").as_str()), ("new", "old"));
}

#[test]
fn a_link_stays_and_its_target_is_written() {
    let fixture = Fixture::new(&[("folder/target", "old")]);
    fixture.link("link", "chain");
    fixture.link("chain", "folder/target");
    fixture.link("dangling", "folder/new/target");
    let check = |path: &str, target: &str, created: bool| {
        let answer = fixture.ask(write(path, path));
        let target = fixture.shown(target);
        let notes = vec![format!("the path is a symbolic link; {target} was written")];
        let bytes = path.len() as u64;
        assert_eq!(answer, FileAnswer::Written { path: target, bytes, created, notes });
        assert!(fs::symlink_metadata(fixture.path(path)).unwrap().is_symlink());
        assert_eq!(fixture.content(path), path);
    };
    check("link", "folder/target", false);
    check("dangling", "folder/new/target", true);
    fixture.link("one", "two");
    fixture.link("two", "one");
    let FileProblem::Other { detail, .. } = fixture.problem(write("one", "")) else { panic!() };
    assert_eq!(detail, "cannot be written: symbolic links lead in a circle");
}

#[test]
fn what_is_not_a_file_is_not_replaced() {
    let fixture = Fixture::new(&[("folder/file", "x")]);
    fixture.fifo("fifo");
    fixture.link("to folder", "folder");
    let check = |path: &str, expected: FileProblem| assert_eq!(fixture.problem(write(path, "new")), expected, "{path}");
    let not_a_file = |path: &str, kind| FileProblem::NotAFile { path: fixture.shown(path), kind };
    check("folder", not_a_file("folder", FileKind::Folder));
    check("to folder", not_a_file("folder", FileKind::Folder));
    check("fifo", not_a_file("fifo", FileKind::Fifo));
    check("/dev/null", not_a_file("/dev/null", FileKind::Device));
    check("folder/file/below", FileProblem::NotAFolder { path: fixture.shown("folder/file") });
    check("folder/file/far/below", FileProblem::NotAFolder { path: fixture.shown("folder/file") });
    assert!(matches!(fixture.problem(write("new/", "")), FileProblem::BadPath { .. }));
    assert_eq!(fixture.names(""), ["fifo", "folder", "to folder"]);
}

#[test]
fn a_file_or_folder_that_may_not_be_written_is_left_alone() {
    let fixture = Fixture::new(&[("open/read-only", "old"), ("closed/file", "old")]);
    fixture.mode("open", 0o777);
    fixture.mode("open/read-only", 0o444);
    fixture.mode("closed/file", 0o666);
    fixture.mode("closed", 0o555);
    let check = |path: &str, begins: &str| {
        let answer = fixture.ask_as_ordinary_user(write(path, "new"));
        let FileAnswer::Problem(FileProblem::NotPermitted { detail, .. }) = answer else { panic!("{answer:?}") };
        assert!(detail.starts_with(begins), "{detail}");
    };
    check("open/read-only", "cannot be written: permission denied; it belongs to user ");
    check("closed/file", "no file can be made in the folder: permission denied; it belongs to user ");
    check("closed/new", "no file can be made in the folder: permission denied; it belongs to user ");
    check("closed/a/b", "the folder cannot be made: permission denied; ");
    assert_eq!(fixture.content("open/read-only") + &fixture.content("closed/file"), "oldold");
    assert_eq!((fixture.names("open").len(), fixture.names("closed").len()), (1, 1));
    fixture.mode("closed", 0o755);
}
