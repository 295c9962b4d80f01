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
    assert_eq!(verdicts, ["allow", "floor", "error", "error", "floor"], "{run:?}");
    assert!(lines[2]["error"].as_str().unwrap().contains("cmd"), "{run:?}");
    assert_eq!(lines[0], json!({"verdict": "allow", "rule": "", "reason": ""}));
    assert_eq!(run.code, 1);
    assert_eq!(run.stderr, "");
}

fn decided(sandbox: &Sandbox, command: &str, surface: &str, backend: &str) -> Value {
    let text = sandbox.ok(["approvals", "check", "--json", "--surface", surface, "--backend", backend, command]);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_decision_depends_on_the_surface_and_the_backend() {
    let sandbox = Sandbox::new();
    for (command, surface, backend, expected) in [
        ("ls", "headless", "local", "run"),
        ("rm -rf x", "interactive", "local", "ask"),
        ("rm -rf x", "gateway", "ssh", "ask"),
        ("rm -rf x", "ask", "docker-with-mount", "ask"),
        ("rm -rf x", "cron", "local", "refuse"),
        ("rm -rf x", "single-query", "local", "refuse"),
        ("rm -rf x", "unattended", "ssh", "refuse"),
        ("rm -rf x", "headless", "local", "refuse"),
        ("rm -rf x", "headless", "docker", "run"),
        ("rm -rf x", "headless", "docker-with-mount", "refuse"),
        ("rm -rf /", "interactive", "docker", "refuse"),
        ("sudo -S ls", "interactive", "docker", "refuse"),
    ] {
        assert_eq!(decided(&sandbox, command, surface, backend)["decision"], expected, "{command} {surface} {backend}");
    }
    assert!(!sandbox.home().exists(), "a decision must not make a home");
    let text = sandbox.ok(["approvals", "check", "--surface", "cron", "git push -f"]);
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("decision: refuse  ") && last.contains("approvals.cron_mode"), "{text}");
}

#[test]
fn the_decision_follows_the_configuration() {
    let sandbox = Sandbox::new();
    let config = "\
approvals:
  headless_mode: approve
  trust_sandbox: true
  deny: ['npm publish*']
  command_approval_required: ['terraform apply*']
command_allowlist: [git-push-force, rm -rf build, '*']
";
    sandbox.write("config.yaml", config);
    for (command, surface, backend, expected) in [
        ("rm -rf x", "headless", "ssh", "run"),
        ("rm -rf x", "gateway", "local", "run"),
        ("rm -rf x", "gateway", "ssh", "ask"),
        ("rm -rf x", "cron", "ssh", "refuse"),
        ("cd x && npm publish", "interactive", "docker", "refuse"),
        ("terraform apply", "gateway", "ssh", "ask"),
        ("terraform plan", "gateway", "ssh", "run"),
        ("git push --force", "gateway", "ssh", "run"),
        ("rm -rf build", "gateway", "ssh", "run"),
        ("rm -rf build; git reset --hard", "gateway", "ssh", "ask"),
    ] {
        let answer = decided(&sandbox, command, surface, backend);
        assert_eq!(answer["decision"], expected, "{command} {surface} {backend}: {answer}");
    }
    let run = sandbox.run(["approvals", "check", "--surface", "ask", "ls"]);
    assert!(run.stderr.contains("command_allowlist: entry \"*\" would allow everything, and is not used"), "{run:?}");
    assert_eq!(sandbox.run(["approvals", "check", "ls"]).stderr, "", "a verdict reads no configuration");
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

const LIST: &str =
    "# mine\ncommand_allowlist:\n  - git push --force # ours\n  - make *\n  - \"*\"\n  - rule:git-reset-hard\n";

#[test]
fn what_was_allowed_for_good_is_listed_with_its_meaning() {
    let sandbox = Sandbox::new();
    let nothing = sandbox.run(["approvals", "list"]);
    assert_eq!((nothing.code, &*nothing.stdout, &*nothing.stderr), (0, "", "nothing is allowed for good\n"));
    sandbox.write("config.yaml", LIST);
    let shown = sandbox.ok(["approvals", "list"]);
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[0], "1  git push --force");
    assert!(lines[1].starts_with("   allows exactly this text again"), "{shown}");
    assert!(lines[5].starts_with("   allows nothing: it would allow everything"), "{shown}");
    let list: Value = serde_json::from_str(&sandbox.ok(["approvals", "list", "--json"])).unwrap();
    let kinds: Vec<_> = list.as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap_or("none")).collect();
    assert_eq!(kinds, ["command", "pattern", "none", "rule"], "{list}");
    assert_eq!(list[2]["problem"], "would allow everything");
    assert_eq!((list[0]["number"].as_u64(), list[0]["entry"].as_str()), (Some(1), Some("git push --force")));
}

#[test]
fn a_hostile_entry_cannot_play_with_the_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "command_allowlist: [\"ls \\e[2J\\u202e\\n1  rm\"]\n");
    let shown = sandbox.ok(["approvals", "list"]);
    assert!(shown.starts_with("1  ls \\x1b[2J\\u{202e}\\n1  rm\n"), "{shown:?}");
}

#[test]
fn entries_are_revoked_by_text_by_number_and_altogether() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", LIST);
    let run = sandbox.run(["approvals", "revoke", "make *"]);
    assert_eq!((run.code, &*run.stderr), (0, "revoked make *\n"), "without a terminal nobody is asked");
    assert_eq!(sandbox.run(["approvals", "revoke", "-y", "2"]).stderr, "revoked *\n");
    let left = "# mine\ncommand_allowlist:\n  - git push --force # ours\n  - rule:git-reset-hard\n";
    assert_eq!(sandbox.read("config.yaml"), left);
    sandbox.fails(2, ["approvals", "revoke", "3"]);
    sandbox.fails(2, ["approvals", "revoke", "0"]);
    sandbox.fails(1, ["approvals", "revoke", "git pull"]);
    sandbox.fails(2, ["approvals", "revoke"]);
    sandbox.fails(2, ["approvals", "revoke", "--all", "1"]);
    assert_eq!(sandbox.read("config.yaml"), left);
    sandbox.ok(["approvals", "revoke", "--all", "--yes"]);
    assert_eq!(sandbox.ok(["approvals", "list", "--json"]), "[]\n");
    assert!(sandbox.read("config.yaml").starts_with("# mine\n"));
    assert_eq!(sandbox.run(["approvals", "revoke", "--all"]).code, 0);
}

#[test]
fn a_broken_file_is_said_and_left_alone() {
    let sandbox = Sandbox::new();
    let broken = "command_allowlist: [ls\n";
    sandbox.write("config.yaml", broken);
    let said = sandbox.fails(78, ["approvals", "list"]);
    assert!(said.contains("hermes config edit"), "{said}");
    sandbox.fails(78, ["approvals", "revoke", "ls"]);
    assert_eq!(sandbox.read("config.yaml"), broken);
}
