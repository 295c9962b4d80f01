//! Removing sessions with all their messages.

use rusqlite::Transaction;

use super::session::COLUMNS;
use super::{Session, SessionError, SessionId, Sessions};
use crate::{StoreError, Time};

const OLD: &str = "s.updated < ?1 AND (?2 IS NULL OR s.source = ?2)";

impl Sessions {
    /// Removes a session for good. Sessions that go on from it stay.
    pub fn delete(&self, session: &SessionId) -> Result<(), SessionError> {
        let what = "delete a session";
        self.try_write(session, what, |transaction| {
            delete(transaction, session).map_err(|error| self.store.error(what, error).into())
        })
    }

    /// The sessions that nobody has used since this moment, of one source or of all.
    pub fn unused_since(&self, moment: Time, source: Option<&str>) -> Result<Vec<Session>, StoreError> {
        self.store.read("look for old sessions", Vec::new(), |transaction| {
            let query = format!("SELECT {COLUMNS} FROM sessions s WHERE {OLD} ORDER BY s.updated");
            transaction.prepare_cached(&query)?.query_map((moment, source), Session::from_row)?.collect()
        })
    }

    /// Removes them; answers how many there were. One that was used meanwhile stays.
    pub fn prune(&self, moment: Time, source: Option<&str>) -> Result<usize, StoreError> {
        self.store.write("remove old sessions", |transaction| {
            let query = format!("SELECT s.id FROM sessions s WHERE {OLD}");
            let mut statement = transaction.prepare(&query)?;
            let old: Vec<SessionId> =
                statement.query_map((moment, source), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            old.iter().try_for_each(|session| delete(transaction, session))?;
            Ok(old.len())
        })
    }
}

fn delete(transaction: &Transaction<'_>, session: &SessionId) -> rusqlite::Result<()> {
    transaction.prepare_cached("UPDATE sessions SET parent = NULL WHERE parent = ?1")?.execute([session])?;
    // Messages go first and by themselves: a cascade would not tell the search about them.
    transaction.prepare_cached("DELETE FROM messages WHERE session = ?1")?.execute([session])?;
    transaction.prepare_cached("DELETE FROM sessions WHERE id = ?1")?.execute([session])?;
    Ok(())
}
