//! `hermes approvals`: verdicts as a script gets them.

use serde_json::{Value, json};

use crate::support::Sandbox;

#[test]
fn a_verdict_is_printed_and_the_code_is_0() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.ok(["approvals", "check", "cargo build"]), "allow\n");
    let refused = sandbox.ok(["approvals", "check", "X=rm; $X -rf /"]);
    assert_eq!(refused, "floor  rm-root  removes the root of the file system\ncommand: rm -rf /\n");
    assert!(!sandbox.home().exists(), "a verdict must not touch the home");
}

#[test]
fn a_command_comes_from_an_argument_or_from_input() {
    let sandbox = Sandbox::new();
    let run = sandbox.run_with_input(["approvals", "check", "--json", "-"], "git push\\\n --force\n");
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let expected = json!({"verdict": "ask", "rule": "git-push-force", "reason": "overwrites or deletes history on the remote", "command": "git push --force"});
    assert_eq!((run.code, answer), (0, expected));
    sandbox.fails(2, ["approvals", "check"]);
    sandbox.fails(2, ["approvals", "check", "--jsonl", "ls"]);
    sandbox.fails(2, ["approvals", "check", "--surface", "nowhere", "ls"]);
}

#[test]
fn json_lines_are_answered_one_by_one() {
    let input = "{\"cmd\": \"ls\"}\n\n{\"cmd\": \"mkfs.ext4 /dev/sda\"}\nnot json\n{\"command\": \"ls\"}\n{\"cmd\": \"sudo -S ls\", \"id\": 7}\n";
    let run = Sandbox::new().run_with_input(["approvals", "check", "--jsonl"], input);
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let verdicts: Vec<_> = lines.iter().map(|line| line["verdict"].as_str().unwrap_or("error")).collect();
    assert_eq!(verdicts, ["allow", "floor", "error", "error", "ask"], "{run:?}");
    assert!(lines[2]["error"].as_str().unwrap().contains("cmd"), "{run:?}");
    assert_eq!(lines[0], json!({"verdict": "allow", "rule": "", "reason": ""}));
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr, "");
}

#[test]
fn the_decision_depends_on_the_surface_and_the_backend() {
    let sandbox = Sandbox::new();
    for (command, surface, backend, expected) in [
        ("ls", "headless", "local", "run"),
        ("rm -rf x", "interactive", "local", "ask"),
        ("rm -rf x", "gateway", "ssh", "ask"),
        ("rm -rf x", "cron", "local", "refuse"),
        ("rm -rf x", "headless", "docker", "run"),
        ("rm -rf /", "interactive", "docker", "refuse"),
    ] {
        let text = sandbox.ok(["approvals", "check", "--json", "--surface", surface, "--backend", backend, command]);
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["decision"], expected, "{command} {surface} {backend}");
    }
}

/// The working folder and the homes are those of this run.
#[test]
fn paths_are_seen_from_here() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.home()).unwrap();
    let mut command = sandbox.command(["approvals", "check", "rm -rf ../*"]);
    let run = crate::support::finish(command.current_dir(sandbox.home()).spawn().unwrap());
    assert!(run.stdout.starts_with("floor  rm-home"), "{run:?}");
    let read = format!("cat {}", sandbox.file(".env").display());
    assert!(sandbox.ok(["approvals", "check", &read]).starts_with("ask  hermes-credentials"));
}

#[test]
fn the_rules_are_listed() {
    let sandbox = Sandbox::new();
    let table = sandbox.ok(["approvals", "rules"]);
    assert!(table.lines().any(|line| line.starts_with("floor  rm-root ")), "{table}");
    let answer: Value = serde_json::from_str(&sandbox.ok(["approvals", "rules", "--json"])).unwrap();
    let entries = answer.as_array().unwrap();
    assert_eq!(entries.len(), table.lines().count());
    for entry in entries.iter().filter(|entry| !entry["example"].is_null()) {
        let verdict = sandbox.ok(["approvals", "check", "--json", "--", entry["example"].as_str().unwrap()]);
        let verdict: Value = serde_json::from_str(&verdict).unwrap();
        assert_eq!((&verdict["rule"], &verdict["verdict"]), (&entry["rule"], &entry["verdict"]), "{entry}");
    }
}
