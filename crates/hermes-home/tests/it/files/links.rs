//! Links inside the home are written through; no link leads a write out of it.

use hermes_home::files::{self, Change, FileError, Mode, update};
use hermes_proto::{Explain, Fault};

use super::support::{Ground, put, tree};

const NEW: &str = "new";

/// Writes to `name` and expects to find it at `target`, with every link kept.
fn check_written(prepare: impl FnOnce(&Ground), name: &str, target: &str) {
    let ground = Ground::new();
    prepare(&ground);
    let before = tree(&ground.home());
    put(&ground.home(), name, Mode::Private, NEW).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(ground.read(target), NEW, "{name}");
    assert!(ground.file(target).symlink_metadata().unwrap().is_file(), "{name}");
    let lock = std::path::Path::new(target).with_extension("lock");
    let mut after = tree(&ground.home());
    assert!(after.remove(&lock).is_some(), "{name}: {after:?}");
    after.remove(std::path::Path::new(target));
    assert!(after.iter().all(|(path, content)| before.get(path) == Some(content)), "{after:?}");
    ground.assert_outside_untouched();
}

/// Fails to write to `name`, which changes nothing anywhere.
fn check_refused(prepare: impl FnOnce(&Ground), name: &str, expected: fn(&FileError) -> bool) -> (Ground, FileError) {
    let ground = Ground::new();
    prepare(&ground);
    let before = tree(&ground.home());
    let error = put(&ground.home(), name, Mode::Private, NEW).unwrap_err();
    assert!(expected(&error), "{name}: {error:?}");
    assert_eq!(error.fault(), Fault::Configuration);
    assert!(error.hint().is_some(), "{error}");
    assert_eq!(tree(&ground.home()), before, "{name}: {error}");
    ground.assert_outside_untouched();
    (ground, error)
}

fn leaves(error: &FileError) -> bool {
    matches!(error, FileError::LeavesHome { .. })
}

fn loops(error: &FileError) -> bool {
    matches!(error, FileError::LinkLoop { .. })
}

#[test]
fn links_that_stay_inside_are_written_through() {
    let file = |ground: &Ground| ground.write("real/f.txt", "old");
    check_written(|g| (file(g), g.link("l.txt", "real/f.txt")).1, "l.txt", "real/f.txt");
    check_written(|g| (file(g), g.link("l.txt", g.file("real/f.txt"))).1, "l.txt", "real/f.txt");
    check_written(|g| (file(g), g.link("l.txt", "../home/real/f.txt")).1, "l.txt", "real/f.txt");
    check_written(|g| (file(g), g.link("l.txt", "real/../real/./f.txt")).1, "l.txt", "real/f.txt");
    check_written(|g| (file(g), g.link("deep/l.txt", "../real/f.txt")).1, "deep/l.txt", "real/f.txt");
    check_written(|g| (file(g), g.link("d", "real")).1, "d/f.txt", "real/f.txt");
    check_written(|g| (file(g), g.link("d", g.file("real"))).1, "d/f.txt", "real/f.txt");
    check_written(|g| (file(g), g.link("a", "b"), g.link("b", "real/f.txt")).2, "a", "real/f.txt");
    check_written(|g| g.link("l.txt", "later.txt"), "l.txt", "later.txt");
    check_written(|g| g.link("d", "later"), "d/f.txt", "later/f.txt");
    check_written(|g| g.link("l.txt", "/../..".to_owned() + g.file("f.txt").to_str().unwrap()), "l.txt", "f.txt");
}

#[test]
fn the_home_may_be_a_link_and_be_linked_to_by_it() {
    let ground = Ground::new();
    let alias = ground.root().join("alias");
    std::os::unix::fs::symlink("home", &alias).unwrap();
    put(&alias, "f.txt", Mode::Private, "old").unwrap();
    ground.link("l.txt", alias.join("f.txt"));
    put(&alias, "l.txt", Mode::Private, NEW).unwrap();
    assert_eq!(ground.read("f.txt"), NEW);
    put(&ground.home(), "l.txt", Mode::Private, "newer").unwrap();
    assert_eq!(ground.read("f.txt"), "newer");
    assert!(ground.file("l.txt").is_symlink() && alias.is_symlink());
}

#[test]
fn links_out_of_the_home_are_refused() {
    check_refused(|g| g.link("f", g.outside().join("precious")), "f", leaves);
    check_refused(|g| g.link("f", g.outside().join("missing")), "f", leaves);
    check_refused(|g| g.link("f", g.outside().join("no/such/folder")), "f", leaves);
    check_refused(|g| g.link("f", "../outside/precious"), "f", leaves);
    check_refused(|g| g.link("f", "../outside/missing"), "f", leaves);
    check_refused(|g| g.link("f", "../home2"), "f", leaves);
    check_refused(|g| g.link("f", "../outside"), "f", leaves);
    check_refused(|g| g.link("f", ".."), "f", leaves);
    check_refused(|g| g.link("f", "/"), "f", leaves);
    check_refused(|g| g.link("d", g.outside()), "d/precious", leaves);
    check_refused(|g| g.link("d", g.outside()), "d/new/file", leaves);
    check_refused(|g| g.link("d", ".."), "d/outside/precious", leaves);
    check_refused(|g| (g.link("a", "b"), g.link("b", g.outside().join("precious"))).1, "a", leaves);
    let (ground, error) = check_refused(|g| g.link("x/f", "../../outside/precious"), "x/f", leaves);
    let text = error.to_string();
    let expected = format!("{} leads to ../../outside/precious, which is outside", ground.file("x/f").display());
    assert!(text.starts_with(&expected), "{text}");
    assert!(error.hint().unwrap().contains(ground.file("x/f").to_str().unwrap()));
}

#[test]
fn links_of_the_process_file_system_are_refused_wherever_they_lead() {
    let home = |g: &Ground| g.home().display().to_string();
    check_refused(|g| g.link("f", format!("/proc/self/root{}/real", home(g))), "f", leaves);
    check_refused(|g| g.link("f", format!("/proc/{}/cwd/f", std::process::id())), "f", leaves);
    check_refused(|g| g.link("f", "/dev/fd/0"), "f", leaves);
    check_refused(|g| g.link("d", format!("/proc/thread-self/root{}", home(g))), "d/f", leaves);
}

#[test]
fn loops_and_endless_chains_are_refused() {
    check_refused(|g| g.link("f", "f"), "f", loops);
    check_refused(|g| (g.link("a", "b"), g.link("b", "a")).1, "a", loops);
    check_refused(|g| g.link("d", "d/d"), "d/f", loops);
    let chain = |g: &Ground| (0..60).for_each(|n| g.link(&format!("c{n}"), format!("c{}", n + 1)));
    check_refused(chain, "c0", loops);
    let ground = Ground::new();
    ground.link("f", "f");
    assert!(loops(&files::read(&ground.file("f")).unwrap_err()));
}

#[test]
fn a_link_to_a_lock_or_a_folder_is_refused() {
    let folder = |error: &FileError| matches!(error, FileError::NotAFile { .. });
    check_refused(|g| (g.write("d/x", ""), g.link("e/f", "..")).1, "e/f", folder);
    let ground = Ground::new();
    ground.link("f", "other.lock");
    let error = put(&ground.home(), "f", Mode::Private, NEW).unwrap_err();
    assert!(matches!(error, FileError::Name { .. }), "{error:?}");
}

#[test]
fn reading_follows_links_and_removing_keeps_them() {
    let ground = Ground::new();
    ground.link("out", ground.outside().join("precious"));
    assert_eq!(files::read(&ground.file("out")).unwrap().as_deref(), Some(b"precious".as_slice()));
    ground.write("real", "old");
    ground.link("l", "real");
    update(&ground.home(), "l", Mode::Private, |_| Ok::<_, FileError>(Change::Remove)).unwrap();
    assert!(ground.file("l").is_symlink() && !ground.file("real").exists());
    assert_eq!(files::read(&ground.file("l")).unwrap(), None);
}
