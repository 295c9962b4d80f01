//! What has to be delivered: waiting, tried, delivered or given up.

use rusqlite::{Row, Transaction, params};

use super::{Ledger, MessageNumber};
use crate::{StoreError, Time};

/// The number of a delivery; later ones are higher.
pub type DeliveryNumber = i64;

/// Something that has to be delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    pub platform: String,
    /// Deliveries to the same address keep their order.
    pub address: String,
    pub session_key: String,
    pub answers: Option<MessageNumber>,
    /// JSON.
    pub content: String,
}

/// Whether the platform may have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// It was never tried, or the platform said no.
    No,
    /// It was tried, and nobody lived to see what came of it.
    Perhaps,
}

/// A delivery that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub number: DeliveryNumber,
    pub address: String,
    pub session_key: String,
    pub answers: Option<MessageNumber>,
    pub content: String,
    pub handed: Handed,
    pub attempts: u32,
}

impl Ledger {
    /// Keeps something to be delivered that settles nothing.
    pub fn put(&self, deliveries: &[NewDelivery]) -> Result<Vec<DeliveryNumber>, StoreError> {
        self.store.write("keep a delivery", |transaction| {
            deliveries.iter().map(|delivery| put(transaction, delivery)).collect()
        })
    }

    /// The oldest delivery of each address that is due on a platform: what may be tried now without a change of order.
    pub fn due(&self, platform: &str, most: usize) -> Result<Vec<Due>, StoreError> {
        self.store.read("read the outbox", Vec::new(), |transaction| {
            let query = "SELECT id, address, session_key, answers, content, state, attempts FROM outbox
                 WHERE id IN (SELECT min(id) FROM outbox WHERE platform = ?1 AND state IN ('waiting', 'trying') GROUP BY address)
                 ORDER BY id LIMIT ?2";
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            transaction.prepare_cached(query)?.query_map(params![platform, most], due_from)?.collect()
        })
    }

    /// It is about to be handed to the platform. On disk when this returns, so that whoever finds it knows.
    pub fn trying(&self, number: DeliveryNumber) -> Result<(), StoreError> {
        self.change(number, "trying", None, "state = 'trying', attempts = attempts + 1, outcome = ?2")
    }

    /// The platform has it.
    pub fn delivered(&self, number: DeliveryNumber, receipt: Option<&str>) -> Result<(), StoreError> {
        self.change(number, "delivered", receipt, "state = 'delivered', content = '', outcome = ?2")
    }

    /// The platform does not have it, and it is tried again.
    pub fn not_yet(&self, number: DeliveryNumber, cause: &str) -> Result<(), StoreError> {
        self.change(number, "not yet delivered", Some(cause), "state = 'waiting', outcome = ?2")
    }

    /// It will never be delivered.
    pub fn given_up(&self, number: DeliveryNumber, cause: &str) -> Result<(), StoreError> {
        self.change(number, "given up", Some(cause), "state = 'failed', outcome = ?2")
    }

    /// The contents of everything that is due and says this somewhere.
    pub fn due_contents(&self, saying: &str) -> Result<Vec<String>, StoreError> {
        self.store.read("read the outbox", Vec::new(), |transaction| {
            let query = "SELECT content FROM outbox WHERE state IN ('waiting', 'trying') AND instr(content, ?1) > 0";
            transaction.prepare_cached(query)?.query_map([saying], |row| row.get(0))?.collect()
        })
    }

    /// How many deliveries are due.
    pub fn due_count(&self) -> Result<u64, StoreError> {
        self.store.read("count the outbox", 0, |transaction| {
            let query = "SELECT count(*) FROM outbox WHERE state IN ('waiting', 'trying')";
            let count: i64 = transaction.prepare_cached(query)?.query_row([], |row| row.get(0))?;
            Ok(u64::try_from(count).unwrap_or_default())
        })
    }

    fn change(
        &self,
        number: DeliveryNumber,
        what: &'static str,
        outcome: Option<&str>,
        set: &str,
    ) -> Result<(), StoreError> {
        self.store.write(what, |transaction| {
            // A delivery that is done stays done.
            let update = format!("UPDATE outbox SET {set} WHERE id = ?1 AND state IN ('waiting', 'trying')");
            transaction.prepare_cached(&update)?.execute(params![number, outcome]).map(drop)
        })
    }
}

pub(super) fn put(transaction: &Transaction<'_>, delivery: &NewDelivery) -> rusqlite::Result<DeliveryNumber> {
    let insert = "INSERT INTO outbox (platform, address, session_key, answers, time, state, content)
         VALUES (?1, ?2, ?3, ?4, ?5, 'waiting', ?6)";
    let NewDelivery { platform, address, session_key, answers, content } = delivery;
    let values = params![platform, address, session_key, answers, Time::now(), content];
    transaction.prepare_cached(insert)?.execute(values)?;
    Ok(transaction.last_insert_rowid())
}

fn due_from(row: &Row<'_>) -> rusqlite::Result<Due> {
    let state: String = row.get(5)?;
    let handed = if state == "trying" { Handed::Perhaps } else { Handed::No };
    Ok(Due {
        number: row.get(0)?,
        address: row.get(1)?,
        session_key: row.get(2)?,
        answers: row.get(3)?,
        content: row.get(4)?,
        handed,
        attempts: row.get(6)?,
    })
}
