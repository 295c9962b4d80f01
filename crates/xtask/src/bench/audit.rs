//! What the audit chain adds to a command, against plain inserts of the same size in the same kind of file.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hermes_home::redact::Redactor;
use hermes_store::audit::{Audit, Entry, Kind, RequestId, Verdict};
use hermes_store::{Settings, Store};
use rusqlite::Connection;
use serde_json::json;

use super::Bench;
use super::start_up::median;
use super::table::{Figure, Limit, Row};

const ROUNDS: usize = 2000;
const SUBJECT: &str = "cargo nextest run --package hermes-store --no-fail-fast 2>&1 | tee target/log.txt | tail -n 40";
/// What a command may cost altogether.
const LIMIT: Limit = Limit::Time(Duration::from_micros(300));
/// Chaining and redaction against bare storage.
const RATIO: Limit = Limit::Ratio(4.0);

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Vec<Row>> {
    let home = bench.folder.join("audit");
    std::fs::create_dir_all(&home).with_context(|| format!("create {}", home.display()))?;
    let audit = Audit::open(&Store::of(&home, Settings::default()), Redactor::default());
    let plain = plain(&home.join("plain.db")).context("plain table")?;
    let (mut own, mut others) = (Vec::new(), Vec::new());
    // Alternately: the machine's other work is not the subject.
    for round in 0..ROUNDS {
        others.push(inserts(&plain).context("plain insert")?);
        let spent = command(&audit)?;
        // The first one creates the file and compiles the patterns.
        if round > 0 {
            own.push(spent);
        }
    }
    audit.verify()?;
    let (own, others) = (Figure::Time(median(&mut own)), Figure::Time(median(&mut others)));
    let row = |what: &str, limit| Row {
        what: what.to_owned(),
        figure: own,
        baseline_name: "plain inserts",
        baseline: others,
        limit,
    };
    Ok(vec![row("audit of a command", LIMIT), row("audit of a command, ratio", RATIO)])
}

/// The four entries of one command, in the two transactions they come in.
fn command(audit: &Audit) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let request = RequestId::new();
    audit.append(&[Kind::Request, Kind::Decision, Kind::Start].map(|kind| entry(kind, &request)))?;
    audit.append(&[entry(Kind::End, &request)])?;
    Ok(start.elapsed())
}

fn entry(kind: Kind, request: &RequestId) -> Entry {
    Entry {
        session: Some("agent:main:telegram:dm:123456789".to_owned()),
        who: Some("ann".to_owned()),
        surface: Some("gateway".to_owned()),
        place: Some("local".to_owned()),
        subject: Some(SUBJECT.to_owned()),
        verdict: Some(Verdict { class: "allow".to_owned(), rule: String::new() }),
        outcome: Some("exit 0".to_owned()),
        detail: json!({ "folder": "/home/ann/work", "milliseconds": 12 }),
        ..Entry::new(kind, request)
    }
}

fn plain(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.query_row("PRAGMA journal_mode = wal", [], |_| Ok(()))?;
    connection.execute_batch("PRAGMA synchronous = normal; CREATE TABLE plain (id INTEGER PRIMARY KEY, text TEXT)")?;
    Ok(connection)
}

/// As many rows of the same size in as many transactions.
fn inserts(connection: &Connection) -> rusqlite::Result<Duration> {
    let text = SUBJECT.repeat(4);
    let start = Instant::now();
    for rows in [3, 1] {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for _ in 0..rows {
            connection.prepare_cached("INSERT INTO plain (text) VALUES (?1)")?.execute([&text])?;
        }
        connection.execute_batch("COMMIT")?;
    }
    Ok(start.elapsed())
}
