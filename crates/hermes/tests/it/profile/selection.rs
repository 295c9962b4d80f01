//! Which home a command uses.

use serde_json::Value;

use crate::support::{Run, Sandbox, finish, mode, set_mode};

/// The shown home's name, or the exit code and what was said.
fn chosen(run: &Run) -> Result<String, (i32, String)> {
    if run.code != 0 {
        return Err((run.code, run.stderr.clone()));
    }
    let home: Value = serde_json::from_str(&run.stdout).unwrap();
    Ok(home["name"].as_str().unwrap().to_owned())
}

#[test]
fn the_command_line_wins_then_the_environment_then_the_active_profile() {
    let sandbox = Sandbox::new();
    for name in ["asked", "pointed", "active"] {
        sandbox.ok(["profile", "create", name]);
    }
    let check = |option: &[&str], pointed_at: Option<&str>, active: Option<&str>, expected: &str| {
        let file = sandbox.file("active_profile");
        match active {
            Some(content) => std::fs::write(&file, content).unwrap(),
            None => drop(std::fs::remove_file(&file)),
        }
        let mut command = sandbox.command([option, &["profile", "show", "--json"]].concat());
        if let Some(folder) = pointed_at {
            command.env("HERMES_HOME", sandbox.file(folder));
        }
        let run = finish(command.spawn().unwrap());
        assert_eq!(chosen(&run).as_deref(), Ok(expected), "{option:?} {pointed_at:?} {active:?}");
    };
    check(&[], None, None, "default");
    check(&[], None, Some(""), "default");
    check(&[], None, Some("\n"), "default");
    check(&[], None, Some("default\n"), "default");
    check(&[], None, Some("active\n"), "active");
    check(&[], None, Some("active"), "active");
    check(&[], Some("profiles/pointed"), None, "pointed");
    check(&[], Some("profiles/pointed/"), Some("active\n"), "pointed");
    check(&["-p", "asked"], None, Some("active\n"), "asked");
    check(&["-p", "asked"], Some("profiles/pointed"), Some("active\n"), "asked");
    check(&["-p", "default"], None, Some("active\n"), "default");
    check(&["-p", "default"], Some("profiles/pointed"), Some("active\n"), "default");
    // What is asked for does not depend on a broken active profile.
    check(&["-p", "asked"], None, Some("../x\n"), "asked");
    check(&[], Some("profiles/pointed"), Some("gone\n"), "pointed");
}

#[test]
fn a_name_that_cannot_be_honoured_is_an_error_and_never_another_home() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "create", "work"]);
    let check = |option: &[&str], pointed_at: &str, active: &str, code: i32, said: &[&str]| {
        sandbox.write("active_profile", active);
        let mut command = sandbox.command([option, &["profile", "show", "--json"]].concat());
        command.env("HERMES_HOME", sandbox.file(pointed_at));
        let run = finish(command.spawn().unwrap());
        assert_eq!(run.code, code, "{run:?}");
        for text in said {
            assert!(run.stderr.contains(text), "{text}: {run:?}");
        }
        assert_eq!(run.stdout, "");
    };
    check(&["-p", "wrk"], "", "", 1, &["\"wrk\" does not exist", "hermes profile create wrk", "work"]);
    check(&["-p", "../x"], "", "", 2, &["contains '.'"]);
    check(&["-p", ""], "", "", 2, &["cannot be empty"]);
    check(&[], "profiles/gone", "", 78, &["HERMES_HOME points at it", "hermes profile create gone"]);
    check(&[], "", "gone\n", 78, &["active_profile", "hermes profile use default"]);
    check(&[], "", "../work\n", 78, &["active_profile", "hermes profile use default"]);
    check(&[], "", " work\n", 78, &["active_profile", "hermes profile use default"]);
    check(&[], "", "work\nother\n", 78, &["active_profile"]);
    check(&[], "", "\u{fffd}", 78, &["active_profile"]);
    sandbox.ok(["profile", "use", "default"]);
    assert_eq!(chosen(&sandbox.run(["profile", "show", "--json"])), Ok("default".to_owned()));
}

#[test]
fn the_home_is_created_private_on_first_use_and_its_mode_is_left_alone_later() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "show"]);
    assert_eq!(mode(sandbox.home()), 0o700);
    set_mode(sandbox.home(), 0o755);
    sandbox.ok(["profile", "create", "work"]);
    sandbox.ok(["profile", "show"]);
    assert_eq!(mode(sandbox.home()), 0o755);
    assert_eq!(mode(sandbox.file("profiles")), 0o700);
    assert_eq!(mode(sandbox.file("profiles/work")), 0o700);
}

#[test]
fn listing_creates_nothing() {
    let sandbox = Sandbox::new();
    sandbox.ok(["profile", "list"]);
    assert!(!sandbox.home().exists());
}

#[test]
fn without_hermes_home_the_home_is_in_the_persons_folder() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(["profile", "show", "--json"]);
    let run = finish(command.env_remove("HERMES_HOME").spawn().unwrap());
    assert!(run.stdout.contains("/.hermes\""), "{run:?}");

    let mut command = sandbox.command(["profile", "show", "--json"]);
    let run = finish(command.env_remove("HERMES_HOME").env("HOME", "").spawn().unwrap());
    assert_eq!(run.code, 78, "{run:?}");
    assert!(run.stderr.contains("neither HERMES_HOME nor HOME is set"), "{run:?}");
}

#[test]
fn a_relative_home_counts_from_the_current_folder() {
    let sandbox = Sandbox::new();
    let folder = sandbox.home().parent().unwrap().to_owned();
    let mut command = sandbox.command(["profile", "show", "--json"]);
    let run = finish(command.env("HERMES_HOME", "here/home").current_dir(&folder).spawn().unwrap());
    assert_eq!(run.code, 0, "{run:?}");
    assert!(folder.join("here/home").is_dir());
    assert_eq!(mode(folder.join("here")), 0o700);
}

#[test]
fn a_file_in_the_place_of_the_home_is_named() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.home(), "").unwrap();
    for arguments in [&["profile", "show"][..], &["profile", "list"], &["profile", "create", "a"]] {
        let said = sandbox.fails(78, arguments);
        assert!(said.contains("home is a file, not a folder") && said.contains("hint: "), "{arguments:?}: {said}");
    }
}
