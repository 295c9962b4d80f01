//! `hermes sessions`: conversations as people and scripts see them.

use std::io::Write;
use std::process::Stdio;

use hermes_proto::message::{Message, ToolCall, Usage};
use hermes_store::sessions::{NewSession, Said, SessionId, Sessions};
use hermes_store::{Settings, Store, Time};
use serde_json::{Value, json};

use crate::support::{Run, Sandbox, finish, is_root, mode, quiet, set_mode};

struct Ground {
    sandbox: Sandbox,
    sessions: Sessions,
}

impl Ground {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        std::fs::create_dir_all(sandbox.home()).unwrap();
        let sessions = Sessions::open(&Store::of(&sandbox.home(), Settings::default()));
        Self { sandbox, sessions }
    }

    /// A question, a command and its output.
    fn session(&self, source: &str, question: &str) -> SessionId {
        let id =
            self.sessions.create(&NewSession { model: Some("small".to_owned()), ..NewSession::from(source) }).unwrap();
        let call =
            ToolCall { id: "c".into(), name: "terminal".to_owned(), arguments: "{\"command\":\"ls\"}".to_owned() };
        let calling = Message::Assistant { text: "I look".to_owned(), reasoning: None, tool_calls: vec![call.clone()] };
        let usage = Usage { input: 10, output: 2, ..Usage::default() };
        let said = [
            Said::from(Message::user(question)),
            Said { usage: Some(usage), ..Said::from(calling) },
            Said::from(Message::tool_result(&call, "```\na.txt \u{1b}[31m")),
        ];
        self.sessions.append(&id, &said).unwrap();
        id
    }

    fn sql(&self, sql: &str) {
        rusqlite::Connection::open(self.sandbox.file("hermes.db")).unwrap().execute_batch(sql).unwrap();
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.sandbox.ok(arguments)).unwrap()
    }

    fn age(&self, id: &SessionId, days: u32) {
        let then = Time::now().days_before(days).microseconds();
        self.sql(&format!("UPDATE sessions SET updated = {then} WHERE id = '{id}'"));
    }
}

#[test]
fn an_empty_home_has_no_sessions_and_stays_empty() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["sessions", "list"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", "no sessions\n"));
    assert_eq!(sandbox.ok(["sessions", "list", "--json"]), "[]\n");
    assert!(sandbox.ok(["sessions", "stats"]).starts_with("sessions    0\n"));
    assert_eq!(sandbox.ok(["sessions", "export", "--format", "json"]), "[]\n");
    sandbox.ok(["sessions", "prune", "--yes"]);
    assert!(sandbox.fails(1, ["sessions", "show"]).contains("no sessions yet"));
    let error = sandbox.fails(1, ["sessions", "delete", "-y", "x"]);
    assert!(error.contains("no session \"x\"") && error.contains("hint: "), "{error}");
    assert!(!sandbox.file("hermes.db").exists());
}

#[test]
fn sessions_are_listed_the_last_used_first() {
    let ground = Ground::new();
    let (old, new) = (ground.session("telegram", "what is\n\u{1b}[2J up"), ground.session("cli", "hello"));
    ground.age(&old, 1);
    ground.sandbox.ok(["sessions", "rename", new.as_str(), "my", "plan"]);
    let list = ground.sandbox.ok(["sessions", "list"]);
    let lines: Vec<_> = list.lines().collect();
    assert!(
        lines[0].starts_with("ID ") && lines[1].starts_with(new.as_str()) && lines[1].ends_with("  my plan"),
        "{list}"
    );
    assert!(lines[2].starts_with(old.as_str()) && lines[2].ends_with("what is\\n\\u{1b}[2J up"), "{list}");
    assert_eq!(ground.json(&["sessions", "list", "--json", "--limit", "1"])[0]["title"], "my plan");
    let telegram = ground.json(&["sessions", "list", "--json", "--source", "telegram"]);
    assert_eq!((telegram.as_array().unwrap().len(), &telegram[0]["messages"]), (1, &json!(3)));
}

#[test]
fn a_session_is_shown_with_its_messages() {
    let ground = Ground::new();
    let id = ground.session("cli", "list it");
    let shown = ground.sandbox.ok(["sessions", "show", "latest"]);
    for text in [
        "# list it\n",
        "- model: small\n",
        "## user (",
        "- calls terminal: `{\"command\":\"ls\"}`",
        "## tool terminal (",
        "````\n```\na.txt \\u{1b}[31m\n````",
    ] {
        assert!(shown.contains(text), "{text:?} is not in:\n{shown}");
    }
    let answer = ground.json(&["sessions", "show", &id.as_str()[..15], "--json"]);
    assert_eq!(
        (&answer["session"]["id"], &answer["messages"][1]["message"]["tool_calls"][0]["name"]),
        (&json!(id), &json!("terminal"))
    );
    assert!(ground.sandbox.fails(1, ["sessions", "show", "nothing"]).contains("hint: "));
}

#[test]
fn sessions_are_exported_in_three_formats() {
    let ground = Ground::new();
    let (one, _) = (ground.session("cli", "one"), ground.session("telegram", "two"));
    let lines = ground.sandbox.ok(["sessions", "export", "-"]);
    assert_eq!(lines.lines().count(), 2);
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["message_count"], first["messages"].as_array().unwrap().len()), (&json!(3), 3));
    assert_eq!(
        ground.json(&["sessions", "export", "--format", "json", "--source", "cli"]).as_array().unwrap().len(),
        1
    );
    let file = ground.sandbox.file("out.md");
    let run = ground.sandbox.run(["sessions", "export", file.to_str().unwrap(), "--session-id", one.as_str()]);
    assert!(run.code == 0 && run.stderr.starts_with("wrote 1 session to "), "{run:?}");
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("# one\n"));
    assert_eq!(mode(&file), 0o600);
    ground.sandbox.fails(1, ["sessions", "export", "/no/such/folder/x"]);
}

#[test]
fn titles_are_unique_and_checked() {
    let ground = Ground::new();
    let (one, two) = (ground.session("cli", "one"), ground.session("cli", "two"));
    ground.sandbox.ok(["sessions", "rename", one.as_str(), "plan"]);
    let error = ground.sandbox.fails(1, ["sessions", "rename", two.as_str(), "plan"]);
    assert!(error.contains(one.as_str()) && error.contains("hint: "), "{error}");
    ground.sandbox.fails(2, ["sessions", "rename", two.as_str(), "latest"]);
    ground.sandbox.fails(2, ["sessions", "rename", two.as_str()]);
    ground.sandbox.ok(["sessions", "rename", "plan", "other"]);
    assert_eq!(ground.sessions.find("other").unwrap().id, one);
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let ground = Ground::new();
    let (old, new) = (ground.session("cli", "old"), ground.session("cli", "new"));
    ground.age(&old, 100);
    for arguments in [&["sessions", "delete", new.as_str()][..], &["sessions", "prune"]] {
        let error = ground.sandbox.fails(2, arguments);
        assert!(error.contains("--yes"), "{error}");
    }
    assert_eq!(ground.json(&["sessions", "prune", "--dry-run", "--json"]), json!({ "would_delete": 1 }));
    assert_eq!(ground.json(&["sessions", "prune", "--older-than", "101", "-y", "--json"]), json!({ "deleted": 0 }));
    assert_eq!(ground.json(&["sessions", "prune", "-y", "--json", "--source", "telegram"]), json!({ "deleted": 0 }));
    assert_eq!(ground.json(&["sessions", "prune", "-y", "--json"]), json!({ "deleted": 1 }));
    ground.sandbox.ok(["sessions", "delete", "-y", new.as_str()]);
    assert_eq!(ground.json(&["sessions", "stats", "--json"])["messages"], 0);
}

#[test]
fn the_age_for_pruning_comes_from_the_configuration() {
    let ground = Ground::new();
    ground.age(&ground.session("cli", "old"), 10);
    ground.sandbox.ok(["config", "set", "sessions.retention_days", "9"]);
    assert_eq!(ground.json(&["sessions", "prune", "-y", "--json"]), json!({ "deleted": 1 }));
}

#[test]
fn everything_is_counted() {
    let ground = Ground::new();
    ground.session("cli", "one");
    ground.session("telegram", "two");
    let stats = ground.json(&["sessions", "stats", "--json"]);
    assert_eq!(
        (&stats["sessions"], &stats["tool_calls"], &stats["usage"]["input"]),
        (&json!(2), &json!(2), &json!(20))
    );
    let text = ground.sandbox.ok(["sessions", "stats"]);
    assert!(text.contains("tokens in   20 (0 cached)") && text.contains("  cli: 1 sessions, 3 messages"), "{text}");
}

#[test]
fn the_originals_sessions_are_mentioned_and_imported() {
    let ground = Ground::new();
    let original = ground.sandbox.file("state.db");
    rusqlite::Connection::open(&original)
        .unwrap()
        .execute_batch(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL, title TEXT);
             CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL);
             INSERT INTO sessions VALUES ('s1', 'cli', 1735718400, 'from before');
             INSERT INTO messages VALUES (1, 's1', 'user', 'hello', 1735718401);",
        )
        .unwrap();
    let before = std::fs::read(&original).unwrap();
    let run = ground.sandbox.run(["sessions", "list"]);
    assert!(run.code == 0 && run.stderr.matches("hermes sessions import").count() == 1, "{run:?}");
    assert_eq!(ground.json(&["sessions", "import", "--json"])["messages"], 1);
    let again = ground.sandbox.run(["sessions", "import"]);
    assert!(again.stderr.contains("imported 0 messages: 0 new sessions, 0 continued"), "{again:?}");
    let run = ground.sandbox.run(["sessions", "list"]);
    assert!(run.stderr.is_empty() && run.stdout.contains("from before"), "{run:?}");
    assert_eq!(std::fs::read(&original).unwrap(), before);
    let error = ground.sandbox.fails(1, ["sessions", "import", "/no/such/state.db"]);
    assert!(error.contains("/no/such/state.db") && error.contains("hint: "), "{error}");
}

/// Runs the program on a terminal of its own and types an answer.
fn on_terminal(sandbox: &Sandbox, arguments: &str, typed: &str) -> Run {
    let program = format!("'{}' sessions {arguments}", env!("CARGO_BIN_EXE_hermes"));
    let mut terminal = quiet("script");
    terminal.args(["--quiet", "--return", "--flush", "--command", &program, "/dev/null"]);
    terminal.env("HERMES_HOME", sandbox.home()).env("SHELL", "/bin/sh").stdin(Stdio::piped());
    let mut child = terminal.spawn().unwrap();
    // The terminal keeps what is typed before somebody asks.
    child.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
    finish(child)
}

#[test]
fn only_a_clear_yes_deletes() {
    let ground = Ground::new();
    let id = ground.session("cli", "precious");
    ground.age(&id, 100);
    for arguments in [format!("delete {id}"), "prune".to_owned()] {
        for answer in ["n\n", "\n", "\u{4}"] {
            let run = on_terminal(&ground.sandbox, &arguments, answer);
            assert_eq!(run.code, 1, "{run:?}");
            assert!(run.stdout.contains("? [y/N]") && run.stdout.contains("nothing was deleted"), "{run:?}");
        }
    }
    let run = on_terminal(&ground.sandbox, "prune", "y\n");
    assert!(run.code == 0 && run.stdout.contains("deleted 1 session"), "{run:?}");
}

/// Invariant 13: a refused file is named with its owner and what mends it.
#[test]
fn a_store_of_somebody_else_is_a_permission_error() {
    let ground = Ground::new();
    ground.session("cli", "mine");
    let sandbox = ground.sandbox;
    drop(ground.sessions);
    set_mode(sandbox.home(), if is_root() { 0o755 } else { 0o500 });
    set_mode(sandbox.file("hermes.db"), 0o444);
    let run = finish(
        sandbox.command_as_ordinary_user(&[], &["sessions", "prune", "-y", "--older-than", "0"]).spawn().unwrap(),
    );
    set_mode(sandbox.home(), 0o700);
    assert_eq!(run.code, 78, "{run:?}");
    let folder = format!("the folder {} belongs to", sandbox.home().display());
    assert!(run.stderr.contains("no permission") && run.stderr.contains(&folder), "{run:?}");
    assert!(run.stderr.contains("hint: "), "{run:?}");
}
