//! `hermes audit`: the chain as people and scripts see it.

use hermes_home::redact::Redactor;
use hermes_store::audit::{Audit, Entry, Kind, RequestId, Verdict};
use hermes_store::{Settings, Store};
use serde_json::{Value, json};

use crate::support::{Sandbox, mode};

/// A home in which one command was asked for, approved and run.
fn with_a_command() -> (Sandbox, RequestId) {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.home()).unwrap();
    let audit = Audit::open(&Store::of(&sandbox.home(), Settings::default()), Redactor::default());
    let request = RequestId::new();
    let entry = |kind| Entry {
        who: Some("ann".to_owned()),
        place: Some("local".to_owned()),
        subject: Some("git push --force\n\u{1b}[2J".to_owned()),
        verdict: Some(Verdict { class: "ask".to_owned(), rule: "git-push-force".to_owned() }),
        ..Entry::new(kind, &request)
    };
    audit.append(&[Kind::Request, Kind::Decision, Kind::Start].map(entry)).unwrap();
    audit.append(&[Entry { outcome: Some("exit 0".to_owned()), ..entry(Kind::End) }]).unwrap();
    (sandbox, request)
}

fn tamper(sandbox: &Sandbox, sql: &str) {
    rusqlite::Connection::open(sandbox.file("hermes.db")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn an_empty_home_has_an_empty_chain_and_stays_empty() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["audit", "tail"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", "nothing has been run yet\n"));
    assert_eq!(sandbox.ok(["audit", "tail", "--json"]), "[]\n");
    assert_eq!(sandbox.ok(["audit", "export"]), "");
    assert!(sandbox.ok(["audit", "verify"]).starts_with("0 entries, all in order\n"));
    assert!(!sandbox.file("hermes.db").exists());
    let error = sandbox.fails(1, ["audit", "show", "1"]);
    assert!(error.contains("hint: "), "{error}");
}

#[test]
fn the_newest_entries_are_one_line_each() {
    let (sandbox, _) = with_a_command();
    let tail = sandbox.ok(["audit", "tail", "-n", "2"]);
    let lines: Vec<_> = tail.lines().collect();
    assert_eq!(lines.len(), 2, "{tail}");
    assert!(
        lines[0].starts_with("     3  20") && lines[0].contains("  start     ask git-push-force  local  git push"),
        "{tail}"
    );
    assert!(lines[1].contains("  exit 0  git push --force\\n\\u{1b}[2J"), "{tail}");
    let entries: Value = serde_json::from_str(&sandbox.ok(["audit", "tail", "--json"])).unwrap();
    assert_eq!(entries[1]["kind"], "decision");
    assert_eq!(entries[1]["previous"], entries[0]["hash"]);
}

#[test]
fn one_entry_or_one_command_is_shown_in_full() {
    let (sandbox, request) = with_a_command();
    let entry = sandbox.ok(["audit", "show", "4"]);
    for text in
        ["entry      4\n", "kind       end\n", "rule       git-push-force\n", "outcome    exit 0\n", "\\u{1b}[2J"]
    {
        assert!(entry.contains(text), "{text:?} is not in:\n{entry}");
    }
    assert!(!entry.contains('\u{1b}'));
    let command = sandbox.ok(["audit", "show", "--json", request.as_str()]);
    let command: Value = serde_json::from_str(&command).unwrap();
    assert_eq!(command.as_array().unwrap().len(), 4);
    let error = sandbox.fails(1, ["audit", "show", "5"]);
    assert!(error.contains("no entry and no command \"5\""), "{error}");
}

#[test]
fn invariant_14_a_broken_chain_ends_with_1_and_names_the_entry() {
    for (sql, text) in [
        ("UPDATE audit SET who = 'bob' WHERE sequence = 2", "entry 2: its content was changed"),
        ("DELETE FROM audit WHERE sequence = 3", "entry 3: it is missing, later entries are there"),
        ("DELETE FROM audit WHERE sequence > 2", "entry 3: it is missing, the chain was cut off before it"),
        ("UPDATE audit_head SET count = 3", "entry 4: it was added past the chain's head"),
        (
            "UPDATE audit SET sequence = 9 WHERE sequence = 1; UPDATE audit SET sequence = 1 WHERE sequence = 2;
             UPDATE audit SET sequence = 2 WHERE sequence = 9",
            "entry 1: what stands there was written as entry 2",
        ),
    ] {
        let (sandbox, _) = with_a_command();
        assert!(sandbox.ok(["audit", "verify"]).starts_with("4 entries, all in order\nlast hash "));
        tamper(&sandbox, sql);
        let error = sandbox.fails(1, ["audit", "verify"]);
        assert!(error.contains(text) && error.contains("\nhint: "), "{error}");
        let run = sandbox.run(["audit", "verify", "--json"]);
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((run.code, &answer["verified"]), (1, &json!(false)));
        assert!(text.starts_with(&format!("entry {}: ", answer["entry"])), "{answer}");
    }
}

#[test]
fn a_noted_hash_is_looked_for() {
    let (sandbox, _) = with_a_command();
    let answer: Value = serde_json::from_str(&sandbox.ok(["audit", "verify", "--json"])).unwrap();
    let last = answer["last"].as_str().unwrap();
    assert_eq!(answer["count"], 4);
    sandbox.ok(["audit", "verify", "--noted", last]);
    let (other, _) = with_a_command();
    let error = other.fails(1, ["audit", "verify", "--noted", last]);
    assert!(error.contains("the hash that was noted"), "{error}");
    other.fails(2, ["audit", "verify", "--noted", "abc"]);
}

#[test]
fn the_chain_is_exported_as_json_lines() {
    let (sandbox, _) = with_a_command();
    let lines = sandbox.ok(["audit", "export"]);
    assert_eq!(lines.lines().count(), 4);
    let file = sandbox.file("chain.jsonl");
    let run = sandbox.run(["audit", "export", "-o", file.to_str().unwrap()]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run:?}");
    assert_eq!((std::fs::read_to_string(&file).unwrap(), mode(&file)), (lines, 0o600));
    let error = sandbox.fails(1, ["audit", "export", "-o", "/no/such/folder/file"]);
    assert!(error.contains("cannot write /no/such/folder/file"), "{error}");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let run = crate::support::finish(sandbox.command(["audit", "export"]).stdout(full).spawn().unwrap());
    assert_eq!(run.code, 1, "{run:?}");
}

#[test]
fn a_damaged_store_is_an_error_and_stays() {
    let sandbox = Sandbox::new();
    sandbox.write("hermes.db", "not a database".repeat(100));
    for arguments in [&["audit", "tail"][..], &["audit", "verify"], &["sessions", "list"], &["sessions", "stats"]] {
        let error = sandbox.fails(78, arguments);
        assert!(error.contains("hermes.db is damaged") && error.contains("hint: "), "{error}");
    }
    assert_eq!(sandbox.read("hermes.db"), "not a database".repeat(100));
    sandbox.write("config.yaml", "database:\n  synchronous: \"off\"\n");
    let error = sandbox.fails(78, ["audit", "tail"]);
    assert!(error.contains("database.synchronous"), "{error}");
}
