//! Accepted messages, from their arrival until they are settled.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{Ledger, NewDelivery, outbox};
use crate::{StoreError, Time};

/// The number of an accepted message; later ones are higher.
pub type MessageNumber = i64;

/// A message that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    pub platform: String,
    /// The platform's id of it, unique on that platform.
    pub source: String,
    pub session_key: String,
    /// JSON.
    pub message: String,
    /// Where the conversation is held, as JSON.
    pub route: String,
}

/// How many messages may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub of_conversation: usize,
    pub of_all: usize,
}

/// What became of an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    New(MessageNumber),
    /// It was accepted before.
    Repeated,
    /// Nothing was written: too many of its conversation are open.
    ConversationFull,
    /// Nothing was written: too many are open.
    Full,
}

/// How far an open message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing was done about it.
    Waiting,
    /// Work on it began, and may have had effects.
    Begun,
}

/// A message that is not settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    pub number: MessageNumber,
    pub session_key: String,
    pub progress: Progress,
    pub attempts: u32,
    pub message: String,
}

impl Ledger {
    /// Takes a message in, once. On disk when this returns.
    pub fn accept(&self, arrival: &Arrival, bounds: Bounds) -> Result<Arrived, StoreError> {
        self.store.write("accept a message", |transaction| {
            let known = transaction
                .prepare_cached("SELECT 1 FROM inbox WHERE platform = ?1 AND source = ?2")?
                .query_row([&arrival.platform, &arrival.source], |_| Ok(()))
                .optional()?;
            if known.is_some() {
                return Ok(Arrived::Repeated);
            }
            if let Some(full) = full(transaction, &arrival.session_key, bounds)? {
                return Ok(full);
            }
            let now = Time::now();
            transaction
                .prepare_cached(
                    "INSERT INTO inbox (platform, source, session_key, time, state, message) VALUES (?1, ?2, ?3, ?4, 'waiting', ?5)",
                )?
                .execute(params![arrival.platform, arrival.source, arrival.session_key, now, arrival.message])?;
            let number = transaction.last_insert_rowid();
            super::route::put(transaction, &arrival.session_key, &arrival.route, now)?;
            Ok(Arrived::New(number))
        })
    }

    /// Work on these messages begins: from now on they may have had effects.
    pub fn begin(&self, numbers: &[MessageNumber]) -> Result<(), StoreError> {
        self.store.write("begin a message", |transaction| {
            let mut statement = transaction.prepare_cached(
                "UPDATE inbox SET state = 'begun', attempts = attempts + 1 WHERE id = ?1 AND state <> 'settled'",
            )?;
            numbers.iter().try_for_each(|number| statement.execute([number]).map(drop))
        })
    }

    /// These messages are done, and this is what has to be said about them: both or neither. Messages that were settled
    /// before stay as they are, and nothing is said a second time; the numbers of what will be delivered.
    pub fn settle(
        &self,
        numbers: &[MessageNumber],
        deliveries: &[NewDelivery],
    ) -> Result<Vec<super::DeliveryNumber>, StoreError> {
        self.store.write("settle a message", |transaction| {
            let mut settled = 0;
            for number in numbers {
                settled += transaction
                    .prepare_cached(
                        "UPDATE inbox SET state = 'settled', message = '' WHERE id = ?1 AND state <> 'settled'",
                    )?
                    .execute([number])?;
            }
            if settled == 0 && !numbers.is_empty() {
                return Ok(Vec::new());
            }
            deliveries.iter().map(|delivery| outbox::put(transaction, delivery)).collect()
        })
    }

    /// Everything that is not settled, the oldest first.
    pub fn open_messages(&self) -> Result<Vec<Open>, StoreError> {
        self.store.read("read the inbox", Vec::new(), |transaction| {
            let query =
                "SELECT id, session_key, state, attempts, message FROM inbox WHERE state <> 'settled' ORDER BY id";
            transaction.prepare_cached(query)?.query_map([], open_from)?.collect()
        })
    }
}

fn full(transaction: &Transaction<'_>, key: &str, bounds: Bounds) -> rusqlite::Result<Option<Arrived>> {
    let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let of_conversation = transaction
        .prepare_cached("SELECT count(*) FROM inbox WHERE state <> 'settled' AND session_key = ?1")?
        .query_row([key], |row| row.get(0))
        .map(count)?;
    if of_conversation >= bounds.of_conversation {
        return Ok(Some(Arrived::ConversationFull));
    }
    let of_all = transaction
        .prepare_cached("SELECT count(*) FROM inbox WHERE state <> 'settled'")?
        .query_row([], |row| row.get(0))
        .map(count)?;
    Ok((of_all >= bounds.of_all).then_some(Arrived::Full))
}

fn open_from(row: &Row<'_>) -> rusqlite::Result<Open> {
    let state: String = row.get(2)?;
    let progress = if state == "waiting" { Progress::Waiting } else { Progress::Begun };
    Ok(Open { number: row.get(0)?, session_key: row.get(1)?, progress, attempts: row.get(3)?, message: row.get(4)? })
}
