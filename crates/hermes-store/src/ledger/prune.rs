//! Forgetting what is done, so that the ledger stays small.

use super::Ledger;
use crate::{StoreError, Time};

impl Ledger {
    /// Forgets messages, deliveries and routes that were done with before this moment; how many rows.
    pub fn prune(&self, before: Time) -> Result<usize, StoreError> {
        self.store.write("prune the ledger", |transaction| {
            let inbox = transaction.execute("DELETE FROM inbox WHERE state = 'settled' AND time < ?1", [before])?;
            let done = "DELETE FROM outbox WHERE state IN ('delivered', 'failed') AND time < ?1";
            let outbox = transaction.execute(done, [before])?;
            let routes = transaction.execute("DELETE FROM routes WHERE time < ?1", [before])?;
            Ok(inbox + outbox + routes)
        })
    }
}
