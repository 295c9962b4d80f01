//! The layout of the file, as a list of steps from nothing to now.
//!
//! A step that has been shipped is never changed: homes that took it would differ from homes that take it later. The file's
//! `user_version` is the number of steps it has taken.

use rusqlite::{Connection, TransactionBehavior};

/// `HRMS`, so that another program's database is never taken for ours.
const APPLICATION: i32 = 0x4852_4d53;

const STEPS: &[&str] = &[
    include_str!("01_audit.sql"),
    include_str!("02_sessions.sql"),
    include_str!("03_ledger.sql"),
    include_str!("04_search_later.sql"),
    include_str!("05_responses.sql"),
    include_str!("06_runs.sql"),
];

/// Where a file stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Current,
    /// It lacks the steps after this many.
    Older(i64),
    Newer(i64),
    Foreign,
}

/// The layout that this version of the program uses.
pub(crate) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

pub(crate) fn layout(connection: &Connection) -> rusqlite::Result<Layout> {
    let application: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(match version {
        _ if application != APPLICATION || version < 1 => Layout::Foreign,
        _ if version < known() => Layout::Older(version),
        _ if version > known() => Layout::Newer(version),
        _ => Layout::Current,
    })
}

/// Takes the missing steps in one transaction. Another process may have been faster.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let taken: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for step in STEPS.iter().skip(usize::try_from(taken).unwrap_or_default()) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", known().max(taken))?;
    transaction.commit()
}

/// A new file's content: everything laid out and nothing in it.
pub(crate) fn image() -> rusqlite::Result<Vec<u8>> {
    let mut connection = Connection::open_in_memory()?;
    migrate(&mut connection)?;
    let mut bytes = connection.serialize("main")?.to_vec();
    // Bytes 18 and 19 of the header tell the journal's kind, 2 for a write-ahead log. Switching an open file to it is the one
    // thing that several processes cannot do at once.
    if let Some(kind) = bytes.get_mut(18..20) {
        kind.fill(2);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file as the first version of the program left it.
    fn first() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(STEPS[0]).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection
    }

    #[test]
    fn an_older_file_takes_the_steps_it_lacks() {
        let mut connection = first();
        connection.execute_batch("INSERT INTO audit_head VALUES (1, 0, x'00')").unwrap();
        assert_eq!(layout(&connection).unwrap(), Layout::Older(1));
        migrate(&mut connection).unwrap();
        assert_eq!(layout(&connection).unwrap(), Layout::Current);
        migrate(&mut connection).unwrap();
        let kept: i64 = connection.query_row("SELECT count(*) FROM audit_head", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 1);
        connection.execute_batch("SELECT * FROM messages_text, sessions, imports").unwrap();
    }

    #[test]
    fn a_step_that_fails_leaves_the_file_as_it_was() {
        let mut connection = first();
        // The last thing of the second step.
        connection.execute_batch("CREATE TABLE imports (x)").unwrap();
        migrate(&mut connection).unwrap_err();
        assert_eq!(layout(&connection).unwrap(), Layout::Older(1));
        connection.execute_batch("SELECT * FROM sessions").unwrap_err();
    }
}
