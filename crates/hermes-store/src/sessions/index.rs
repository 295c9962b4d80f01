//! The full-text index, which learns of messages many at a time.

use rusqlite::Transaction;

use super::Sessions;
use crate::StoreError;

/// So many messages are not kept from the index. A search waits some milliseconds for them.
const MANY: i64 = 512;

impl Sessions {
    /// Whatever was said can be found when this answers.
    pub(super) fn index_all(&self) -> Result<(), StoreError> {
        let is_behind = self.store.read("search", false, |transaction| Ok(unindexed(transaction)? > 0))?;
        if is_behind { self.store.write("make messages searchable", index) } else { Ok(()) }
    }
}

/// Brings the index up to date if it has fallen behind.
pub(super) fn index_many(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    if unindexed(transaction)? < MANY { Ok(()) } else { index(transaction) }
}

/// Brings the index up to date.
pub(super) fn index(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let add = "INSERT INTO messages_text (rowid, text)
        SELECT m.id, m.text FROM messages_unindexed u JOIN messages m ON m.id = u.id ORDER BY u.id";
    transaction.prepare_cached(add)?.execute([])?;
    transaction.prepare_cached("DELETE FROM messages_unindexed")?.execute([])?;
    Ok(())
}

fn unindexed(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.prepare_cached("SELECT count(*) FROM messages_unindexed")?.query_row([], |row| row.get(0))
}
