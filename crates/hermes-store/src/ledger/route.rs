//! Where a conversation was held last, for what happens when no message is at hand.

use rusqlite::{OptionalExtension, Transaction, params};

use super::Ledger;
use crate::{StoreError, Time};

impl Ledger {
    /// The route of a conversation, as JSON.
    pub fn route(&self, session_key: &str) -> Result<Option<String>, StoreError> {
        self.store.read("look for a conversation", None, |transaction| {
            let query = "SELECT route FROM routes WHERE session_key = ?1";
            transaction.prepare_cached(query)?.query_row([session_key], |row| row.get(0)).optional()
        })
    }
}

pub(super) fn put(transaction: &Transaction<'_>, key: &str, route: &str, now: Time) -> rusqlite::Result<()> {
    let upsert = "INSERT INTO routes (session_key, time, route) VALUES (?1, ?2, ?3)
         ON CONFLICT (session_key) DO UPDATE SET time = excluded.time, route = excluded.route";
    transaction.prepare_cached(upsert)?.execute(params![key, now, route]).map(drop)
}
