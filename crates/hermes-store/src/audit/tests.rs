//! Every kind of tampering is found, and the entry is named.

use hermes_home::redact::Redactor;
use hermes_proto::Secret;
use rusqlite::Connection;
use serde_json::json;

use super::*;
use crate::{Settings, Time};

/// A store in a folder of its own, with a chain of nine entries.
struct Ground {
    folder: tempfile::TempDir,
    audit: Audit,
}

impl Ground {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let audit = audit_in(folder.path());
        Self { folder, audit }
    }

    fn new() -> Self {
        let ground = Self::empty();
        for number in 0..3 {
            let request = RequestId::new();
            ground.audit.append(&[full(Kind::Request, &request), full(Kind::Start, &request)]).unwrap();
            let end = Entry { outcome: Some(format!("exit {number}")), ..Entry::new(Kind::End, &request) };
            ground.audit.append(&[end]).unwrap();
        }
        ground
    }

    fn tamper(&self, sql: &str) -> &Self {
        let connection = Connection::open(self.folder.path().join(crate::FILE)).unwrap();
        connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        self
    }

    #[track_caller]
    fn assert_broken(&self, sequence: i64, how: Break) {
        match self.audit.verify() {
            Err(VerifyError::Broken(broken)) => assert_eq!(broken, Broken { sequence: Sequence(sequence), how }),
            other => panic!("{other:?}"),
        }
    }
}

fn audit_in(folder: &std::path::Path) -> Audit {
    Audit::open(&Store::of(folder, Settings::default()), Redactor::default())
}

fn full(kind: Kind, request: &RequestId) -> Entry {
    Entry {
        session: Some("agent:main:cli:dm:1".to_owned()),
        who: Some("ann".to_owned()),
        surface: Some("interactive".to_owned()),
        place: Some("local".to_owned()),
        subject: Some("git push --force".to_owned()),
        verdict: Some(Verdict { class: "ask".to_owned(), rule: "git-push-force".to_owned() }),
        outcome: Some("approved once".to_owned()),
        detail: json!({ "folder": "/work" }),
        ..Entry::new(kind, request)
    }
}

#[test]
fn an_untouched_chain_verifies() {
    let ground = Ground::new();
    let verified = ground.audit.verify().unwrap();
    assert_eq!((verified.count, ground.audit.len().unwrap()), (9, Sequence(9)));
    assert_eq!(verified.last, ground.audit.tail(1).unwrap()[0].hash);
    assert_eq!(audit_in(ground.folder.path()).verify().unwrap(), verified);
}

#[test]
fn reading_and_verifying_nothing_creates_nothing() {
    let ground = Ground::empty();
    assert_eq!(ground.audit.verify().unwrap().count, 0);
    assert_eq!(ground.audit.tail(5).unwrap(), []);
    assert_eq!(ground.audit.append(&[]).unwrap(), []);
    assert_eq!(std::fs::read_dir(ground.folder.path()).unwrap().count(), 0);
}

/// Also a value of another type, nothing instead of something, and text moved between columns.
#[test]
fn a_change_of_any_column_is_found() {
    for change in [
        "time = time + 1",
        "kind = 'note'",
        "request = request || ' '",
        "session = 'other'",
        "session = NULL",
        "who = 'bob'",
        "surface = ''",
        "place = 'docker'",
        "subject = 'ls'",
        "subject = NULL",
        "subject_length = 1",
        "verdict = 'allow'",
        "rule = NULL",
        "outcome = 'denied'",
        "detail = '{}'",
        "detail = NULL",
        "who = who || surface, surface = ''",
        "who = surface, surface = who",
        "previous = zeroblob(32)",
        "previous = x''",
        "hash = zeroblob(32)",
        "hash = x''",
    ] {
        for sequence in [1, 5] {
            // The first entry follows nothing as it is.
            if (sequence, change) == (1, "previous = zeroblob(32)") {
                continue;
            }
            let ground = Ground::new();
            ground.tamper(&format!("UPDATE audit SET {change} WHERE sequence = {sequence}"));
            ground.assert_broken(sequence, Break::Changed);
        }
    }
    let ground = Ground::new();
    ground.tamper("UPDATE audit SET format = 2 WHERE sequence = 4").assert_broken(4, Break::UnknownFormat(2));
}

#[test]
fn every_column_but_the_position_was_tried() {
    let ground = Ground::new();
    let connection = Connection::open(ground.folder.path().join(crate::FILE)).unwrap();
    let count: i64 =
        connection.query_row("SELECT count(*) FROM pragma_table_info('audit')", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 17, "a new column needs a place in the hash and in the test above");
}

#[test]
fn a_dropped_entry_is_found() {
    for sequence in [1, 4, 8] {
        let ground = Ground::new();
        let drop = format!("DELETE FROM audit WHERE sequence = {sequence}");
        ground.tamper(&drop).assert_broken(sequence, Break::Missing);
    }
}

#[test]
fn a_cut_at_the_end_is_found() {
    for kept in [8, 3, 0] {
        let ground = Ground::new();
        ground.tamper(&format!("DELETE FROM audit WHERE sequence > {kept}")).assert_broken(kept + 1, Break::CutOff);
    }
}

/// A gap that was closed again by renumbering what came behind it.
#[test]
fn a_closed_gap_is_found() {
    let ground = Ground::new();
    ground.tamper("DELETE FROM audit WHERE sequence = 4; UPDATE audit SET sequence = sequence - 1 WHERE sequence > 4");
    ground.tamper("UPDATE audit_head SET count = 8");
    ground.assert_broken(4, Break::Moved { from: Sequence(5) });
}

#[test]
fn swapped_entries_are_found() {
    for (one, other) in [(2, 7), (4, 5), (1, 9)] {
        let ground = Ground::new();
        ground.tamper(&format!(
            "UPDATE audit SET sequence = -1 WHERE sequence = {one};
             UPDATE audit SET sequence = {one} WHERE sequence = {other};
             UPDATE audit SET sequence = {other} WHERE sequence = -1"
        ));
        ground.assert_broken(one, Break::Moved { from: Sequence(other) });
    }
}

/// Whoever changes an entry and gives it a new hash breaks the next.
#[test]
fn a_rehashed_entry_does_not_fit_its_successor() {
    let (ground, other) = (Ground::new(), Ground::new());
    let path = other.folder.path().join(crate::FILE);
    ground.tamper(&format!(
        "ATTACH '{}' AS other; DELETE FROM audit WHERE sequence < 4;
         INSERT INTO audit SELECT * FROM other.audit WHERE sequence < 4",
        path.display()
    ));
    ground.assert_broken(4, Break::DoesNotFollow);
}

#[test]
fn a_forged_entry_is_found() {
    let copy = "INSERT INTO audit SELECT {}, format, time, kind, request, session, who, surface, place, subject,
        subject_length, verdict, rule, outcome, detail, previous, hash FROM audit WHERE sequence = 9";
    let forged = |sequence: &str| Ground::new().tamper(&copy.replace("{}", sequence)).audit.verify();
    assert!(matches!(&forged("10"), Err(VerifyError::Broken(Broken { sequence: Sequence(10), .. }))));
    assert!(matches!(&forged("0"), Err(VerifyError::Broken(Broken { how: Break::BeforeTheFirst, .. }))));
    // One that is chained as it should be, in a chain whose head was put back.
    let ground = Ground::new();
    ground.tamper("CREATE TABLE kept AS SELECT * FROM audit_head");
    ground.audit.append(&[full(Kind::Note, &RequestId::new())]).unwrap();
    ground.tamper("DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM kept");
    ground.assert_broken(10, Break::Added);
}

#[test]
fn a_changed_head_is_found() {
    Ground::new().tamper("UPDATE audit_head SET count = 12").assert_broken(10, Break::CutOff);
    Ground::new().tamper("UPDATE audit_head SET count = 7").assert_broken(8, Break::Added);
    Ground::new().tamper("UPDATE audit_head SET last = zeroblob(32)").assert_broken(9, Break::HeadDiffers);
    Ground::new().tamper("DELETE FROM audit_head").assert_broken(9, Break::HeadMissing);
}

/// What would be put on top of a forgery is refused, and so is the command it is about.
#[test]
fn nothing_is_appended_behind_a_head_that_was_put_back() {
    for sql in ["UPDATE audit_head SET count = 7", "DELETE FROM audit_head"] {
        let ground = Ground::new();
        ground.tamper(sql);
        let error = ground.audit.append(&[full(Kind::Note, &RequestId::new())]).unwrap_err();
        assert!(matches!(error, crate::StoreError::ChainBroken { .. }), "{error:?}");
    }
}

/// A whole chain that was written anew verifies; only a hash that was noted elsewhere tells.
#[test]
fn a_noted_hash_shows_a_chain_that_was_replaced() {
    let (ground, other) = (Ground::new(), Ground::new());
    let noted = ground.audit.entry(Sequence(6)).unwrap().unwrap().hash;
    assert_eq!(ground.audit.verify_containing(&noted).unwrap().count, 9);
    match other.audit.verify_containing(&noted) {
        Err(VerifyError::Broken(broken)) => {
            assert_eq!(broken, Broken { sequence: Sequence(9), how: Break::Replaced });
        }
        other => panic!("{other:?}"),
    }
    assert!(Ground::empty().audit.verify_containing(&noted).is_err());
}

#[test]
fn secrets_do_not_reach_the_file() {
    let ground = Ground::empty();
    let (known, shaped) = ("correct-horse-battery", "sk-or-v1-0123456789abcdef0123456789abcdef");
    let store = Store::of(ground.folder.path(), Settings::default());
    let audit = Audit::open(&store, Redactor::new([Secret::new(known)]));
    let text = format!("curl -u {known} -H 'X-Key: {shaped}'");
    audit
        .append(&[Entry {
            session: Some(text.clone()),
            who: Some(text.clone()),
            surface: Some(text.clone()),
            place: Some(text.clone()),
            subject: Some(text.clone()),
            verdict: Some(Verdict { class: text.clone(), rule: text.clone() }),
            outcome: Some(text.clone()),
            detail: json!([text]),
            ..Entry::new(Kind::Note, &RequestId::from(text.clone()))
        }])
        .unwrap();
    drop((audit, store));
    for file in std::fs::read_dir(ground.folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for secret in [known, "0123456789abcdef"] {
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
        }
    }
}

#[test]
fn a_long_subject_is_cut_and_its_length_kept() {
    let ground = Ground::empty();
    let long = Entry { subject: Some("x".repeat(200_000)), ..Entry::new(Kind::Request, &RequestId::new()) };
    ground.audit.append(&[long]).unwrap();
    let entry = &ground.audit.tail(1).unwrap()[0];
    assert_eq!((entry.subject.as_ref().unwrap().len(), entry.subject_length), (LONGEST_SUBJECT, Some(200_000)));
    ground.audit.verify().unwrap();
}

#[test]
fn entries_are_read_back_by_page_request_and_position() {
    let ground = Ground::new();
    let tail = ground.audit.tail(4).unwrap();
    assert_eq!(tail.iter().map(|entry| entry.sequence.0).collect::<Vec<_>>(), [6, 7, 8, 9]);
    let page = ground.audit.entries(&Filter { after: Sequence(2), ..Filter::first(3) }).unwrap();
    assert_eq!(page.iter().map(|entry| entry.kind.as_str()).collect::<Vec<_>>(), ["end", "request", "start"]);
    let one = ground.audit.request(&page[1].request).unwrap();
    assert_eq!(one.iter().map(|entry| entry.sequence.0).collect::<Vec<_>>(), [4, 5, 6]);
    assert_eq!(ground.audit.request(&RequestId::from(page[1].request.as_str()[..35].to_owned())).unwrap(), one);
    assert_eq!(ground.audit.request(&RequestId::from("0".to_owned())).unwrap(), [], "all start like this");
    let mine = Filter { session: Some("agent:main:cli:dm:1".to_owned()), ..Filter::first(100) };
    assert_eq!(ground.audit.entries(&mine).unwrap().len(), 6);
    let entry = ground.audit.entry(Sequence(4)).unwrap().unwrap();
    assert_eq!((entry.who.as_deref(), entry.rule.as_deref()), (Some("ann"), Some("git-push-force")));
    assert!(entry.time <= Time::now());
    assert_eq!(ground.audit.entry(Sequence(10)).unwrap(), None);
}

#[test]
fn an_export_has_a_line_for_each_entry() {
    let ground = Ground::new();
    let mut text = Vec::new();
    assert_eq!(ground.audit.export(&mut text).unwrap(), 9);
    let lines: Vec<serde_json::Value> =
        std::str::from_utf8(&text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 9);
    assert_eq!(lines[8]["previous"], lines[7]["hash"]);
    assert_eq!(lines[0]["detail"], json!({ "folder": "/work" }));
}
