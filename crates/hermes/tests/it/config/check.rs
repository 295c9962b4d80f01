//! `hermes config check`: what a person is told, and what a script gets.

use serde_json::{Value as Json, json};

use crate::support::Sandbox;

#[track_caller]
fn check(config: &str, code: i32, expected: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", config);
    let run = sandbox.run(["config", "check"]);
    let path = sandbox.file("config.yaml");
    let lines: Vec<String> = expected.iter().map(|line| format!("{}:{line}\n", path.display())).collect();
    assert_eq!((run.code, run.stdout), (code, lines.concat()), "{config:?}");
}

#[test]
fn findings_are_one_per_line_with_line_and_column() {
    check("", 0, &[]);
    check("terminal:\n  timeout: 5\n", 0, &[]);
    check(
        "terminal:\n  timeot: 5\n",
        0,
        &["2:3: warning: unknown key terminal.timeot, did you mean terminal.timeout?"],
    );
    check(
        "terminal:\n  timeout: x\n",
        78,
        &["2:12: error: terminal.timeout: expected a whole number, 0 or more, found text"],
    );
    check(
        "a: ${NOPE}\n",
        0,
        &["1:1: warning: unknown key a", "1:4: warning: a: variable NOPE is not set, so ${NOPE} stays as it is"],
    );
    check(
        "model: {streaming: maybe}\nx: 1\n",
        78,
        &["1:20: error: model.streaming: expected true or false, found text", "2:1: warning: unknown key x"],
    );
    check(
        "ключ: 1\nterminal: {timeout: 1, timeout: 2}\n",
        0,
        &[
            "1:1: warning: unknown key ключ",
            "2:24: warning: terminal.timeout appears again, so the one in line 2 is ignored",
        ],
    );
    check("terminal: [\n", 78, &["2:1: error: while parsing a node, did not find expected node content"]);
    check("a: 1\n---\nb: 1\n", 78, &["2:1: error: a second document starts here; only one is allowed"]);
}

#[test]
fn json_has_the_same_findings() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "approvals:\n  mode: x\n");
    let run = sandbox.run(["config", "check", "--json"]);
    let findings: Json = serde_json::from_str(&run.stdout).unwrap();
    let message = "approvals.mode: \"x\" is none of manual, smart, off";
    let expected = json!([{"severity": "error", "key": "approvals.mode", "message": message, "line": 2, "column": 9}]);
    assert_eq!((run.code, findings), (78, expected));
    sandbox.write("config.yaml", "");
    assert_eq!(sandbox.ok(["config", "check", "--json"]), "[]\n");
}
