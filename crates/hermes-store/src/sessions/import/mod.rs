//! Taking over the sessions of the original: `state.db` in the same home.
//!
//! That file belongs to another program, of any version, which may be running: it is opened for reading only, columns that it lacks
//! are taken as empty, and nothing is left beside it. Importing again adds what is new and touches nothing else.

mod original;
#[cfg(test)]
mod tests;
mod translate;
mod value;

use std::path::Path;

use rusqlite::Transaction;
use serde::Serialize;

use self::original::{Original, OriginalSession};
use super::append::{MessageRow, add_usage, last};
use super::change::free;
use super::index::index_many;
use super::session::insert;
use super::{SessionError, SessionId, Sessions};
use crate::{StoreError, Time};

/// The original's file in the home.
pub const ORIGINAL: &str = "state.db";
const WHAT: &str = "import sessions";

/// What an import did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Imported {
    /// Sessions that were not here before.
    pub sessions: usize,
    /// Sessions that were, and had new messages in the original.
    pub continued: usize,
    pub messages: usize,
    /// Sessions that went on here and there since: theirs was left alone.
    pub diverged: usize,
    /// Messages of a kind that has no place here.
    pub skipped: usize,
}

/// What of a session is here already.
enum Here {
    Nothing,
    /// Only messages of the original, up to this id.
    Imported {
        up_to: i64,
    },
    /// It was continued here, from this id on.
    Own {
        up_to: i64,
    },
}

impl Sessions {
    /// Reads all sessions of the original in this file. All of it or nothing is taken over.
    pub fn import(&self, path: &Path) -> Result<Imported, SessionError> {
        let original = Original::open(path)?;
        self.store.try_write(WHAT, |transaction| {
            let mut imported = Imported::default();
            for session in original.sessions()? {
                self.take(transaction, &original, &session, &mut imported)?;
            }
            let note = "INSERT INTO imports (path, time) VALUES (?1, ?2)
                ON CONFLICT (path) DO UPDATE SET time = excluded.time";
            let noted = transaction.execute(note, (name(path), Time::now()));
            noted.map_err(|error| self.store.error(WHAT, error))?;
            Ok(imported)
        })
    }

    /// Whether this file of the original has been imported.
    pub fn was_imported(&self, path: &Path) -> Result<bool, StoreError> {
        self.store.read(WHAT, false, |transaction| {
            transaction.prepare_cached("SELECT 1 FROM imports WHERE path = ?1")?.exists([name(path)])
        })
    }

    fn take(
        &self,
        transaction: &Transaction<'_>,
        original: &Original,
        session: &OriginalSession,
        imported: &mut Imported,
    ) -> Result<(), SessionError> {
        let error = |error| SessionError::from(self.store.error(WHAT, error));
        let id = &session.new.id;
        let (after, new) = match Here::of(transaction, id).map_err(error)? {
            Here::Own { up_to } => {
                imported.diverged += usize::from(original.has_after(id, up_to)?);
                return Ok(());
            }
            Here::Imported { up_to } => (up_to, 0),
            Here::Nothing => {
                let title = session.title.as_ref().map(|title| free(transaction, id, title)).transpose();
                insert(transaction, &session.new, title.map_err(error)?.flatten().as_ref(), session.started)
                    .map_err(error)?;
                (i64::MIN, 1)
            }
        };
        let (rows, skipped) = original.messages(id, after)?;
        append(transaction, session, &rows).map_err(error)?;
        imported.sessions += new;
        imported.continued += usize::from(new == 0 && !rows.is_empty());
        imported.messages += rows.len();
        // Those at the end are seen again each time.
        imported.skipped += new * skipped;
        Ok(())
    }
}

impl Here {
    fn of(transaction: &Transaction<'_>, id: &SessionId) -> rusqlite::Result<Self> {
        if !transaction.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?.exists([id])? {
            return Ok(Self::Nothing);
        }
        let query = "SELECT max(imported), coalesce(sum(imported IS NULL), 0) FROM messages WHERE session = ?1";
        let (last, own): (Option<i64>, i64) =
            transaction.prepare_cached(query)?.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let up_to = last.unwrap_or(i64::MIN);
        Ok(if own > 0 { Self::Own { up_to } } else { Self::Imported { up_to } })
    }
}

/// Adds these messages and brings the session's times and sums to what the original has.
fn append(transaction: &Transaction<'_>, session: &OriginalSession, rows: &[MessageRow]) -> rusqlite::Result<()> {
    let id = &session.new.id;
    let mut position = last(transaction, id)?;
    for row in rows {
        position = position.next();
        row.insert(transaction, id, position)?;
    }
    let used = rows.iter().map(|row| row.time).chain(session.ended).max().unwrap_or(session.started);
    let query = "UPDATE sessions SET updated = max(started, ?2), ended = ?3, end_reason = ?4,
        input = 0, output = 0, cached_input = 0, cache_write = 0, reasoning = 0 WHERE id = ?1";
    if !rows.is_empty() || session.ended.is_some() {
        transaction.prepare_cached(query)?.execute((id, used, session.ended, &session.end_reason))?;
        add_usage(transaction, id, session.usage, used)?;
    }
    index_many(transaction)
}

/// A file is known by where it is, however it was named.
fn name(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.to_string_lossy().into_owned()
}
