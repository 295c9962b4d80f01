//! Settings in, settings out, and everything else left alone.

use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::support::Sandbox;

const MINE: &str = "# my file\nterminal:\n  # slow machine\n  timeout: 300  # five minutes\n\n  cwd: '/work'\n";

#[test]
fn what_was_set_is_printed_and_the_file_keeps_its_comments() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", MINE);
    assert_eq!(sandbox.ok(["config", "get", "terminal.timeout"]), "300\n");
    assert_eq!(sandbox.ok(["config", "set", "terminal.timeout", "60"]), "");
    assert_eq!(sandbox.read("config.yaml"), MINE.replace("300 ", "60 "));
    sandbox.ok(["config", "set", "terminal.backend", "docker"]);
    assert_eq!(sandbox.read("config.yaml"), MINE.replace("300 ", "60 ") + "  backend: docker\n");
    sandbox.ok(["config", "unset", "terminal.backend"]);
    assert_eq!(sandbox.read("config.yaml"), MINE.replace("300 ", "60 "));
    assert_eq!(sandbox.ok(["config", "get", "terminal.backend"]), "local\n");
}

#[test]
fn a_first_setting_creates_the_file_for_owner_and_group() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["config", "set", "_test.marker", "1"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    assert_eq!(run.stderr, "warning: unknown key _test\n");
    assert_eq!(sandbox.read("config.yaml"), "_test:\n  marker: 1\n");
    let mode = std::fs::metadata(sandbox.file("config.yaml")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(sandbox.ok(["config", "get", "_test.marker"]), "1\n");
}

#[test]
fn values_have_their_natural_type_unless_json_is_given() {
    let sandbox = Sandbox::new();
    for (arguments, plain, expected) in [
        (&["true"][..], "true", json!(true)),
        (&["-5"], "-5", json!(-5)),
        (&["1.50"], "1.50", json!(1.5)),
        (&["null"], "null", json!(null)),
        (&["007"], "007", json!(7)),
        (&["yes"], "yes", json!("yes")),
        (&["two words"], "two words", json!("two words")),
        (&[""], "", json!("")),
        (&["99999999999999999999"], "99999999999999999999", json!("99999999999999999999")),
        (&["--json", "\"5\""], "5", json!("5")),
        (&["--json", "[1, \"a\", {\"b\": null}]"], "- 1\n- a\n-\n  b: null", json!([1, "a", {"b": null}])),
        (&["--json", "{}"], "{}", json!({})),
        (&["-v"], "-v", json!("-v")),
    ] {
        let mut typed = vec!["config", "set", "x.y"];
        typed.extend(arguments.iter().filter(|argument| **argument == "--json"));
        typed.push("--");
        typed.extend(arguments.iter().filter(|argument| **argument != "--json"));
        sandbox.ok(&typed);
        assert_eq!(sandbox.ok(["config", "get", "x.y"]), format!("{plain}\n"), "{arguments:?}");
        let answer: Json = serde_json::from_str(&sandbox.ok(["config", "get", "x.y", "--json"])).unwrap();
        assert_eq!(answer, expected, "{arguments:?}");
    }
    sandbox.ok(["config", "set", "x.y", "-5"]);
    sandbox.ok(["config", "set", "x.y", "[1]", "--json"]);
    assert!(sandbox.fails(2, ["config", "set", "x.y", "{", "--json"]).contains("the value is not JSON"));
}

#[test]
fn dots_are_escaped_and_lists_are_indexed() {
    let sandbox = Sandbox::new();
    sandbox.ok(["config", "set", "providers.my\\.host.base_url", "http://h"]);
    assert_eq!(sandbox.read("config.yaml"), "providers:\n  my.host:\n    base_url: http://h\n");
    assert_eq!(sandbox.ok(["config", "get", "providers.my\\.host.base_url"]), "http://h\n");
    sandbox.ok(["config", "set", "command_allowlist", "[\"a\", \"b\"]", "--json"]);
    sandbox.ok(["config", "set", "command_allowlist.1", "c"]);
    assert_eq!(sandbox.ok(["config", "get", "command_allowlist"]), "- a\n- c\n");
    let error = sandbox.fails(2, ["config", "set", "command_allowlist.2", "d"]);
    assert!(error.contains("command_allowlist has 2 items") && error.contains("hint: "), "{error}");
    for key in ["", "a..b", ".a", "a."] {
        assert!(sandbox.fails(2, ["config", "get", key]).contains("hint: "), "{key:?}");
    }
}

#[test]
fn a_missing_setting_ends_with_1_and_the_nearest_one() {
    let sandbox = Sandbox::new();
    let error = sandbox.fails(1, ["config", "get", "terminal.timeot"]);
    assert_eq!(error, "hermes: terminal.timeot is not set\nhint: did you mean terminal.timeout?\n");
    assert_eq!(
        sandbox.fails(1, ["config", "get", "max_concurrent_sessions"]),
        "hermes: max_concurrent_sessions is not set\n"
    );
    assert_eq!(sandbox.fails(1, ["config", "unset", "qqq"]), "hermes: qqq is not set\n");
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", MINE);
    for (key, value, message) in [
        ("terminal.timeout", "soon", "terminal.timeout: expected a whole number, 0 or more, found text"),
        ("approvals.mode", "maybe", "approvals.mode: \"maybe\" is none of manual, smart, off"),
        (
            "terminal.timeout.x",
            "1",
            "terminal.timeout is an integer (line 4, column 12), so terminal.timeout.x cannot be set below it",
        ),
    ] {
        let error = sandbox.fails(2, ["config", "set", key, value]);
        assert!(error.contains(message), "{error}");
    }
    assert_eq!(sandbox.read("config.yaml"), MINE);
}

#[test]
fn a_broken_file_is_reported_with_its_place_and_never_written() {
    let sandbox = Sandbox::new();
    let broken = "terminal:\n  timeout: [1\n";
    sandbox.write("config.yaml", broken);
    let place = format!("{}:3:1: ", sandbox.file("config.yaml").display());
    for arguments in [
        &["config", "get", "model.default"][..],
        &["config", "set", "a", "1"],
        &["config", "unset", "terminal"],
        &["config", "show"],
    ] {
        let error = sandbox.fails(78, arguments);
        assert!(error.contains(&place) && error.contains("hint: "), "{arguments:?}: {error}");
    }
    assert_eq!(sandbox.read("config.yaml"), broken);
}

#[test]
fn the_paths_are_those_of_the_profile() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.ok(["config", "path"]), format!("{}\n", sandbox.file("config.yaml").display()));
    assert_eq!(sandbox.ok(["config", "env-path"]), format!("{}\n", sandbox.file(".env").display()));
    sandbox.write("profiles/work/SOUL.md", "");
    let path = sandbox.file("profiles/work/config.yaml");
    assert_eq!(sandbox.ok(["-p", "work", "config", "path"]), format!("{}\n", path.display()));
    sandbox.ok(["-p", "work", "config", "set", "agent.max_turns", "5"]);
    assert_eq!(sandbox.read("profiles/work/config.yaml"), "agent:\n  max_turns: 5\n");
    assert_eq!(sandbox.ok(["config", "get", "agent.max_turns"]), "500\n");
}

#[test]
fn show_is_what_is_in_force() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "terminal: {timeout: 7}\nwhatsapp: {x: 1}\n");
    let shown = sandbox.ok(["config", "show"]);
    assert!(shown.contains("\n  timeout: 7\n") && shown.contains("\nwhatsapp:\n  x: 1\n"), "{shown}");
    let json: Json = serde_json::from_str(&sandbox.ok(["config", "show", "--json"])).unwrap();
    assert_eq!((&json["terminal"]["timeout"], &json["agent"]["max_turns"]), (&json!(7), &json!(500)));
    sandbox.write("config.yaml", &shown);
    assert_eq!(sandbox.ok(["config", "show"]), shown, "it can be read back");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn set_then_get_returns_what_was_set(key in "[^\\x00.\\\\]{1,12}(\\.[^\\x00.\\\\]{1,12}){0,2}", value in "[^\\x00]{0,30}") {
        prop_assume!(!key.starts_with('-'));
        let sandbox = Sandbox::new();
        sandbox.write("config.yaml", MINE);
        let run = sandbox.run(["config", "set", "--", key.as_str(), value.as_str()]);
        prop_assert_eq!(run.code, 0, "{:?}", run);
        prop_assert_eq!(sandbox.ok(["config", "get", "--", key.as_str()]), format!("{value}\n"));
        prop_assert!(sandbox.read("config.yaml").starts_with(MINE));
    }
}
