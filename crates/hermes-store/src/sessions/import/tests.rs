//! Files of the original, of several ages and conditions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::*;
use crate::sessions::{Said, SearchFilter, Standing};
use crate::{Settings, Store};
use hermes_proto::message::{Message, Role};

const TABLES: &str = "
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT,
        system_prompt TEXT, parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
        message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0,
        output_tokens INTEGER DEFAULT 0, cache_read_tokens INTEGER DEFAULT 0, title TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
        tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
        finish_reason TEXT, reasoning TEXT, active INTEGER DEFAULT 1);";
const ROWS: &str = r#"
    INSERT INTO sessions (id, source, model, started_at, ended_at, end_reason, input_tokens, output_tokens, cache_read_tokens, title)
        VALUES ('20250101_080000_abc123', 'cli', 'hermes-4', 1735718400.5, 1735722000.0, 'user_exit', 100, 20, 50, 'old plan');
    INSERT INTO sessions (id, source, started_at, parent_session_id) VALUES ('20250102_080000_def456', 'telegram', 1735804800, '20250101_080000_abc123');
    INSERT INTO messages (session_id, role, content, timestamp) VALUES ('20250101_080000_abc123', 'user', 'list the folder', 1735718401.25);
    INSERT INTO messages (session_id, role, tool_calls, timestamp, reasoning) VALUES ('20250101_080000_abc123', 'assistant',
        '[{"id":"call_1","type":"function","function":{"name":"terminal","arguments":"{\"command\":\"ls\"}"}}]', 1735718402, 'hm');
    INSERT INTO messages (session_id, role, content, tool_call_id, timestamp) VALUES ('20250101_080000_abc123', 'tool', 'a.txt', 'call_1', 1735718403);
    INSERT INTO messages (session_id, role, content, timestamp, active) VALUES ('20250101_080000_abc123', 'assistant', 'one file', 1735718404, 0);
    INSERT INTO messages (session_id, role, content, timestamp) VALUES ('20250101_080000_abc123', 'session_meta', '{}', 1735718405);"#;

struct Ground {
    folder: tempfile::TempDir,
    sessions: Sessions,
}

impl Ground {
    fn new(sql: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ground = Self { sessions: Sessions::open(&Store::of(folder.path(), Settings::default())), folder };
        std::fs::create_dir(ground.folder.path().join("a b#%?")).unwrap();
        ground.original(sql);
        ground
    }

    /// In a folder of its own, whose name is hard to write as an address.
    fn path(&self) -> PathBuf {
        self.folder.path().join("a b#%?").join(ORIGINAL)
    }

    fn original(&self, sql: &str) {
        Connection::open(self.path()).unwrap().execute_batch(sql).unwrap();
    }

    fn import(&self) -> Imported {
        let before = files(self.path().parent().unwrap());
        let imported = self.sessions.import(&self.path()).unwrap();
        assert_eq!(files(self.path().parent().unwrap()), before, "the original was changed");
        imported
    }
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

fn first() -> SessionId {
    SessionId::from("20250101_080000_abc123".to_owned())
}

#[test]
fn sessions_and_messages_are_taken_over() {
    let ground = Ground::new(&format!("{TABLES}{ROWS}"));
    assert!(!ground.sessions.was_imported(&ground.path()).unwrap());
    assert_eq!(ground.import(), Imported { sessions: 2, messages: 4, skipped: 1, ..Imported::default() });
    assert!(ground.sessions.was_imported(&ground.path()).unwrap());
    let session = ground.sessions.find("old plan").unwrap();
    assert_eq!(
        (session.id.clone(), session.source.as_str(), session.model.as_deref()),
        (first(), "cli", Some("hermes-4"))
    );
    assert_eq!((session.usage.input, session.usage.cached_input, session.usage.output), (150, 50, 20));
    assert_eq!((session.messages, session.tool_calls, session.end_reason.as_deref()), (4, 1, Some("user_exit")));
    assert_eq!(session.started.to_string(), "2025-01-01T08:00:00.500000Z");
    assert_eq!(session.updated.to_string(), "2025-01-01T09:00:00.000000Z");
    let everything = ground.sessions.everything(&first()).unwrap();
    let roles: Vec<_> = everything.iter().map(|stored| stored.message.role()).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant]);
    assert!(matches!(everything[3].standing, Standing::Archived(_)));
    let transcript = ground.sessions.transcript(&first()).unwrap();
    assert_eq!(transcript.repaired().len(), 3, "calls and results fit together");
    let child = ground.sessions.find("20250102").unwrap();
    assert_eq!((child.parent, child.title), (Some(first()), None));
    assert_eq!(ground.sessions.search("folder", &SearchFilter::everywhere(5)).unwrap().len(), 1);
}

#[test]
fn importing_again_adds_only_what_is_new() {
    let ground = Ground::new(&format!("{TABLES}{ROWS}"));
    ground.import();
    assert_eq!(ground.import(), Imported::default());
    ground.original(&format!(
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('{}', 'user', 'and now?', 1735730000)",
        first()
    ));
    assert_eq!(ground.import(), Imported { continued: 1, messages: 1, ..Imported::default() });
    let session = ground.sessions.find("old plan").unwrap();
    assert_eq!((session.messages, session.usage.input), (5, 150), "usage is not counted twice");
    // Both went on since: ours stays as it is.
    ground.sessions.append(&first(), &[Said::from(Message::user("here"))]).unwrap();
    assert_eq!(ground.import(), Imported::default());
    ground.original(&format!(
        "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('{}', 'user', 'there', 1735740000)",
        first()
    ));
    assert_eq!(ground.import(), Imported { diverged: 1, ..Imported::default() });
    assert_eq!(ground.sessions.find("old plan").unwrap().messages, 6);
}

#[test]
fn a_file_with_few_columns_and_odd_values_is_read() {
    let ground = Ground::new(
        "CREATE TABLE sessions (id, title); CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content);
         INSERT INTO sessions VALUES ('a', 'same'), ('b', 'same'), ('c', x'ff'), (NULL, 'x'), ('', 5);
         INSERT INTO messages VALUES (5, 'a', 'user', x'ff41'), (6, 'a', 'user', 12), (7, 'b', NULL, NULL), (8, 'zz', 'user', 'orphan');",
    );
    assert_eq!(ground.import(), Imported { sessions: 4, messages: 2, skipped: 1, ..Imported::default() });
    assert_eq!(ground.sessions.find("b").unwrap().title.as_deref(), Some("same #2"));
    let texts: Vec<_> = ground
        .sessions
        .everything(&SessionId::from("a".to_owned()))
        .unwrap()
        .iter()
        .map(|s| s.message.text())
        .collect();
    assert_eq!(texts, ["\u{fffd}A", "12"]);
}

/// The original is at work: what it has committed is in its log only.
#[test]
fn what_is_only_in_the_originals_log_is_read_too() {
    let ground = Ground::new("");
    let writer = Connection::open(ground.path()).unwrap();
    writer.query_row("PRAGMA journal_mode = wal", [], |_| Ok(())).unwrap();
    writer.execute_batch(&format!("PRAGMA wal_autocheckpoint = 0; {TABLES}{ROWS}")).unwrap();
    let before = std::fs::read(ground.path()).unwrap();
    assert_eq!(ground.sessions.import(&ground.path()).unwrap().messages, 4);
    assert_eq!(std::fs::read(ground.path()).unwrap(), before);
}

#[test]
fn what_is_not_the_originals_is_refused() {
    let ground = Ground::new("CREATE TABLE other (id)");
    assert!(matches!(ground.sessions.import(&ground.path()), Err(SessionError::NotOriginal { .. })));
    std::fs::write(ground.path(), "not a database at all, but long enough to look at").unwrap();
    assert!(matches!(ground.sessions.import(&ground.path()), Err(SessionError::Original { .. })));
    std::fs::remove_file(ground.path()).unwrap();
    assert!(matches!(ground.sessions.import(&ground.path()), Err(SessionError::Look { .. })));
    assert!(!ground.folder.path().join(crate::FILE).exists(), "nothing was created for nothing");
}
