//! Homes that belong to somebody else, and homes that forbid too much.

use std::os::unix::fs::MetadataExt;

use crate::support::{Run, STRANGER, Sandbox, finish, is_root, mode, set_mode};

fn run_as_stranger(sandbox: &Sandbox, home: &str, arguments: &[&str]) -> Run {
    finish(sandbox.command_as_ordinary_user(&[], arguments).env("HERMES_HOME", home).spawn().unwrap())
}

#[test]
fn a_home_of_somebody_else_is_named_with_its_owner_and_mode() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    if !is_root() {
        // The same refusal, as far as an ordinary account can make one for itself.
        set_mode(sandbox.home(), 0o000);
        let said = sandbox.fails(78, ["profile", "show"]);
        set_mode(sandbox.home(), 0o700);
        assert!(said.contains("mode 0000") && said.contains("hint: chmod u+rwx"), "{said}");
        return;
    }
    let home = sandbox.home();
    let home = home.to_str().unwrap();
    let pointed_at = format!("{home}/profiles/work");
    for (home, arguments) in [
        (home, &["profile", "show"][..]),
        (home, &["profile", "list"]),
        (home, &["profile", "create", "x"]),
        (home, &["-p", "work", "profile", "show"]),
        (&pointed_at, &["profile", "show"]),
    ] {
        let run = run_as_stranger(&sandbox, home, arguments);
        assert_eq!(run.code, 78, "{arguments:?}: {run:?}");
        for text in ["Permission denied", "belongs to root (uid 0) with mode 0700", "hint: sudo chown"] {
            assert!(run.stderr.contains(text), "{text}: {run:?}");
        }
    }
    let run = run_as_stranger(&sandbox, "/never/home", &["profile", "create", "x"]);
    assert_eq!(run.code, 78, "{run:?}");
    assert!(run.stderr.contains("/never: Permission denied") && run.stderr.contains("folder / belongs"), "{run:?}");
}

#[test]
fn an_ordinary_account_has_all_of_it() {
    if !is_root() {
        // The other tests ran as one.
        return;
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.home().parent().unwrap().join("own");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::chown(&folder, Some(STRANGER), Some(STRANGER)).unwrap();
    let home = folder.join("home");
    let home = home.to_str().unwrap();
    let file = folder.join("work.tar.gz");
    for arguments in [
        &["profile", "create", "work"][..],
        &["profile", "use", "work"],
        &["profile", "create", "copy", "--clone"],
        &["profile", "export", "work", "-o", file.to_str().unwrap()],
        &["profile", "import", file.to_str().unwrap(), "--name", "again"],
        &["profile", "rename", "work", "job"],
        &["profile", "delete", "copy", "--yes"],
        &["profile", "list"],
    ] {
        let run = run_as_stranger(&sandbox, home, arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
    }
    assert_eq!(mode(&file), 0o600);
}

#[test]
fn what_root_makes_in_the_home_of_another_belongs_to_the_other() {
    if !is_root() {
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.home()).unwrap();
    std::os::unix::fs::chown(sandbox.home(), Some(STRANGER), Some(STRANGER)).unwrap();
    sandbox.write("skills/x", "");
    sandbox.ok(["profile", "create", "work", "--clone"]);
    sandbox.ok(["profile", "rename", "work", "job"]);
    let paths =
        ["profiles", "profiles/job", "profiles/job/SOUL.md", "profiles/job/skills/x", "profiles/job/gateway.lock"];
    for path in paths {
        assert_eq!(sandbox.file(path).symlink_metadata().unwrap().uid(), STRANGER, "{path}");
    }
}
