//! Forgetting runs that ended long ago, so that the store stays small.

use rusqlite::params;

use super::Runs;
use crate::{StoreError, Time};

impl Runs {
    /// Forgets runs that ended before this moment, and the oldest of those beyond `most`; how many.
    pub fn forget(&self, before: Time, most: usize) -> Result<usize, StoreError> {
        self.store.write("forget runs", |transaction| {
            let old = transaction.prepare_cached("DELETE FROM runs WHERE ended < ?1")?.execute([before])?;
            let beyond = "DELETE FROM runs WHERE id IN
                (SELECT id FROM runs WHERE ended IS NOT NULL ORDER BY ended DESC LIMIT -1 OFFSET ?1)";
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            Ok(old + transaction.prepare_cached(beyond)?.execute(params![most])?)
        })
    }
}
