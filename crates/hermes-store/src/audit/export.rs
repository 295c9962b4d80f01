//! The whole chain as JSON lines, one entry each, in constant memory.

use std::io::Write;

use super::read::{SELECT, recorded};
use super::{Audit, Sequence};
use crate::StoreError;

impl Audit {
    /// Writes every entry of one consistent state of the chain; answers how many.
    pub fn export(&self, mut writer: impl Write) -> Result<u64, StoreError> {
        const WHAT: &str = "read the audit chain";
        self.store.try_read(WHAT, 0, |transaction| {
            let query = format!("{SELECT} ORDER BY sequence");
            let mut statement = transaction.prepare(&query).map_err(|error| self.store.error(WHAT, error))?;
            let rows = statement.query_map([], recorded).map_err(|error| self.store.error(WHAT, error))?;
            let mut count = 0;
            for row in rows {
                let entry = row.map_err(|error| self.store.error(WHAT, error))?;
                serde_json::to_writer(&mut writer, &entry).map_err(|error| StoreError::Output(error.into()))?;
                writer.write_all(b"\n").map_err(StoreError::Output)?;
                count += 1;
            }
            Ok(count)
        })
    }

    /// Entries in the chain, as its head tells.
    pub fn len(&self) -> Result<Sequence, StoreError> {
        self.store.read("read the audit chain", Sequence(0), |transaction| {
            transaction.query_row("SELECT coalesce(max(count), 0) FROM audit_head", [], |row| row.get(0)).map(Sequence)
        })
    }
}
