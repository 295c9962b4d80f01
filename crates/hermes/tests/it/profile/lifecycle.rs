//! Making, using, renaming and deleting profiles.

use std::fs::File;
use std::os::unix::fs::symlink;

use super::{in_profiles, listed};
use crate::support::{Sandbox, mode, set_mode};

#[test]
fn names_that_could_be_taken_for_something_else_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "real"]);
    let long = "a".repeat(65);
    let names = ["../x", "a/b", "/etc", ".", "..", "-x", "--yes", "_x", "Work", "a b", "a.b", "", "ä", "a\n", &long];
    for name in names {
        for arguments in [
            vec!["create", "--", name],
            vec!["rename", "--", "real", name],
            vec!["rename", "--", name, "other"],
            vec!["delete", "--yes", "--", name],
            vec!["use", "--", name],
            vec!["show", "--", name],
            vec!["export", "--", name],
        ] {
            let said = sandbox.fails(2, [vec!["profile"], arguments].concat());
            assert!(said.starts_with("hermes: ") && said.contains("profile name"), "{name:?}: {said}");
        }
    }
    assert_eq!(in_profiles(&sandbox), ["real"]);
}

#[test]
fn the_default_home_cannot_be_created_renamed_or_deleted() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    for arguments in [
        &["create", "default"][..],
        &["rename", "default", "x"],
        &["rename", "work", "default"],
        &["delete", "default", "--yes"],
    ] {
        let said = sandbox.fails(2, [&["profile"], arguments].concat());
        assert!(said.contains("default"), "{said}");
    }
    assert_eq!(listed(&sandbox).0, ["default", "work"]);
}

#[test]
fn a_new_profile_is_private_and_has_a_personality() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    assert_eq!(mode(sandbox.file("profiles/work")), 0o700);
    assert_eq!(mode(sandbox.file("profiles/work/SOUL.md")), 0o600);
    assert!(sandbox.read("profiles/work/SOUL.md").contains("Hermes"));
    for folder in ["memories", "skills", "sessions", "logs", "cron"] {
        assert_eq!(mode(sandbox.file("profiles/work").join(folder)), 0o700, "{folder}");
    }
    assert_eq!(in_profiles(&sandbox), ["work"]);
    // Only profiles are given one: the default home is the person's own.
    assert!(!sandbox.file("SOUL.md").exists());

    let said = sandbox.fails(1, ["profile", "create", "work"]);
    assert!(said.contains("\"work\" already exists"), "{said}");
}

#[test]
fn a_clone_takes_settings_and_neither_logins_nor_state() {
    let sandbox = Sandbox::new();
    for (file, bits) in [
        ("config.yaml", 0o640),
        (".env", 0o644),
        ("SOUL.md", 0o600),
        ("memories/MEMORY.md", 0o600),
        ("skills/deep/er/run.sh", 0o755),
        ("auth.json", 0o600),
        ("sessions/one.jsonl", 0o600),
        ("state.db", 0o600),
        ("logs/agent.log", 0o600),
        ("gateway.pid", 0o600),
    ] {
        sandbox.write(file, format!("content of {file}"));
        set_mode(sandbox.file(file), bits);
    }
    symlink("deep/er/run.sh", sandbox.file("skills/inside")).unwrap();
    symlink("../../outside", sandbox.file("skills/outside")).unwrap();
    symlink("/etc", sandbox.file("memories/etc")).unwrap();

    let run = sandbox.run(["profile", "create", "one", "--clone"]);
    assert_eq!(run.code, 0, "{run:?}");
    for link in ["skills/outside", "memories/etc"] {
        assert!(run.stderr.contains(&format!("warning: {link} was not copied")), "{run:?}");
        assert!(sandbox.file("profiles/one").join(link).symlink_metadata().is_err());
    }
    sandbox.ok(["profile", "create", "two", "--clone-from", "one"]);
    sandbox.ok(["-p", "two", "profile", "create", "three", "--clone"]);
    sandbox.ok(["-p", "two", "profile", "create", "four", "--clone-from", "default"]);
    for profile in ["one", "two", "three", "four"] {
        let home = format!("profiles/{profile}");
        for (file, bits) in [
            ("config.yaml", 0o640),
            (".env", 0o600),
            ("SOUL.md", 0o600),
            ("memories/MEMORY.md", 0o600),
            ("skills/deep/er/run.sh", 0o755),
        ] {
            assert_eq!(sandbox.read(format!("{home}/{file}")), format!("content of {file}"), "{home}");
            assert_eq!(mode(sandbox.file(format!("{home}/{file}"))), bits, "{home}/{file}");
        }
        let link = std::fs::read_link(sandbox.file(format!("{home}/skills/inside"))).unwrap();
        assert_eq!(link.to_str(), Some("deep/er/run.sh"));
        for file in ["auth.json", "sessions/one.jsonl", "state.db", "logs/agent.log", "gateway.pid"] {
            assert!(!sandbox.file(format!("{home}/{file}")).exists(), "{home}/{file}");
        }
    }
    let said = sandbox.fails(1, ["profile", "create", "five", "--clone-from", "fuor"]);
    assert!(said.contains("four"), "{said}");
    assert!(!in_profiles(&sandbox).contains(&"five".to_owned()));
}

#[test]
fn the_active_profile_is_kept_followed_and_reset() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    assert_eq!(listed(&sandbox).1.as_deref(), Some("default"));
    sandbox.ok(["profile", "use", "work"]);
    assert_eq!(sandbox.read("active_profile"), "work\n");
    assert_eq!(listed(&sandbox).1.as_deref(), Some("work"));

    let run = sandbox.run(["profile", "rename", "work", "job"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("stays the active profile"), "{run:?}");
    assert_eq!(sandbox.read("active_profile"), "job\n");
    assert_eq!(listed(&sandbox), (vec!["default".to_owned(), "job".to_owned()], Some("job".to_owned())));

    let run = sandbox.run(["profile", "delete", "job", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stderr.contains("the default home is active now"), "{run:?}");
    assert!(!sandbox.file("active_profile").exists());
    assert_eq!(in_profiles(&sandbox), Vec::<String>::new());

    sandbox.fails(1, ["profile", "use", "job"]);
    sandbox.ok(["profile", "use", "default"]);
}

#[test]
fn renaming_refuses_what_is_there_and_needs_what_is_not() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "one"]);
    sandbox.ok(["profile", "create", "two"]);
    symlink("nowhere", sandbox.file("profiles/dangling")).unwrap();
    assert!(sandbox.fails(1, ["profile", "rename", "one", "two"]).contains("\"two\" already exists"));
    assert!(sandbox.fails(1, ["profile", "rename", "one", "dangling"]).contains("already exists"));
    assert!(sandbox.fails(1, ["profile", "rename", "noe", "three"]).contains("similar names: one"));
    assert!(sandbox.fails(1, ["profile", "rename", "one", "one"]).contains("already exists"));
    assert_eq!(listed(&sandbox).0, ["default", "one", "two"]);
}

#[test]
fn a_running_gateway_keeps_its_profile() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    sandbox.write("profiles/work/gateway.lock", "{}");
    let lock = File::open(sandbox.file("profiles/work/gateway.lock")).unwrap();
    lock.lock().unwrap();
    for arguments in [&["rename", "work", "job"][..], &["delete", "work", "--yes"]] {
        let said = sandbox.fails(75, [&["profile"], arguments].concat());
        assert!(said.contains("gateway of profile \"work\" is running") && said.contains("gateway stop"), "{said}");
    }
    let run = sandbox.run(["profile", "export", "work", "-o", sandbox.file("x.tar.gz").to_str().unwrap()]);
    assert!(run.code == 0 && run.stderr.contains("warning: its gateway is running"), "{run:?}");
    lock.unlock().unwrap();
    sandbox.ok(["profile", "rename", "work", "job"]);
    sandbox.ok(["profile", "delete", "job", "--yes"]);
}

#[test]
fn deleting_without_a_terminal_needs_yes() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    let said = sandbox.fails(2, ["profile", "delete", "work"]);
    assert!(said.contains("--yes"), "{said}");
    let run = sandbox.run_with_input(["profile", "delete", "work"], "y\n");
    assert_eq!(run.code, 2, "{run:?}");
    assert_eq!(in_profiles(&sandbox), ["work"]);
    sandbox.ok(["profile", "delete", "work", "-y"]);
    assert_eq!(in_profiles(&sandbox), Vec::<String>::new());
    sandbox.fails(1, ["profile", "delete", "work", "-y"]);
}

#[test]
fn deleting_never_follows_a_link() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    sandbox.write("precious/file", "kept");
    symlink(sandbox.file("precious"), sandbox.file("profiles/work/skills/link")).unwrap();
    symlink(sandbox.file("precious"), sandbox.file("profiles/linked")).unwrap();
    symlink("nowhere", sandbox.file("profiles/dangling")).unwrap();
    assert_eq!(listed(&sandbox).0, ["default", "linked", "work"]);

    sandbox.ok(["profile", "delete", "work", "--yes"]);
    let run = sandbox.run(["profile", "delete", "linked", "--yes"]);
    assert!(run.code == 0 && run.stderr.contains("only the link is deleted"), "{run:?}");
    sandbox.ok(["profile", "delete", "dangling", "--yes"]);
    assert_eq!(sandbox.read("precious/file"), "kept");
    assert!(!sandbox.file("precious/gateway.lock").exists());
    assert_eq!(in_profiles(&sandbox), Vec::<String>::new());
}

#[test]
fn folders_that_forbid_it_to_their_owner_are_deleted_too() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    sandbox.write("profiles/work/workspace/a/b/file", "");
    set_mode(sandbox.file("profiles/work/workspace/a/b"), 0o000);
    set_mode(sandbox.file("profiles/work/workspace/a"), 0o500);
    sandbox.ok(["profile", "delete", "work", "--yes"]);
    assert_eq!(in_profiles(&sandbox), Vec::<String>::new());
}

#[test]
fn what_only_looks_like_a_profile_is_ignored_aloud() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    for folder in ["Bad", "default", ".hidden", "a b"] {
        std::fs::create_dir(sandbox.file("profiles").join(folder)).unwrap();
    }
    symlink("nowhere", sandbox.file("profiles/dangling")).unwrap();
    sandbox.write("profiles/file", "");
    let run = sandbox.run(["profile", "list"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    let warnings: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
    assert_eq!(warnings.len(), 4, "{run:?}");
    for name in ["/Bad is ignored", "/default is ignored", "/a b is ignored", "/dangling is ignored"] {
        assert!(run.stderr.contains(name), "{name}: {run:?}");
    }
}

#[test]
fn show_tells_what_is_there_and_reads_no_secret() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    sandbox.write("profiles/work/.env", "KEY=sk-verysecretvalue");
    sandbox.write("profiles/work/skills/big", vec![b'x'; 100_000]);
    set_mode(sandbox.file("profiles/work/.env"), 0o000);
    let text = sandbox.ok(["profile", "show", "work", "--json"]);
    assert!(!text.contains("verysecret"), "{text}");
    let shown: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shown["path"].as_str(), sandbox.file("profiles/work").to_str());
    assert_eq!(shown["active"], false);
    assert!(shown["size"].as_u64().unwrap() >= 100_000, "{text}");
    assert_eq!(shown["files"], 3);
    let entries: Vec<&str> = shown["entries"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(entries.contains(&".env") && entries.contains(&"skills/"), "{text}");

    assert_eq!(shown["model"], serde_json::Value::Null);
    sandbox.write("profiles/work/config.yaml", "model:\n  default: some/model\n");
    assert!(sandbox.ok(["profile", "show", "work"]).contains("model:   some/model"));
    sandbox.write("profiles/work/config.yaml", "model: [\n");
    let run = sandbox.run(["profile", "show", "work"]);
    assert!(run.code == 0 && run.stderr.contains("warning: the model cannot be told"), "{run:?}");

    // The default home does not count its profiles.
    let text = sandbox.ok(["profile", "show", "default", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(shown["size"].as_u64().unwrap() < 100_000, "{text}");
}
