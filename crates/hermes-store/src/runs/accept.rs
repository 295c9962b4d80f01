//! Taking a run, once.

use rusqlite::{OptionalExtension, Transaction, params};

use super::{COLUMNS, Run, Runs};
use crate::{StoreError, Time};

/// A run that a caller asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRun {
    pub id: String,
    pub owner: String,
    /// JSON.
    pub detail: String,
    /// What the caller calls the request.
    pub request: Option<String>,
    /// A digest of what was asked.
    pub asked: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    New,
    /// The same was asked before under this name.
    Before(Run),
    /// Something else was asked under this name.
    Different,
}

impl Runs {
    /// Takes a run; on disk when this returns. Names of requests from before `remembered` are free again.
    pub fn take(&self, new: &NewRun, remembered: Time) -> Result<Taken, StoreError> {
        self.store.write("take a run", |transaction| {
            if let Some(request) = &new.request {
                forget_name(transaction, &new.owner, request, remembered)?;
                if let Some((before, asked)) = named(transaction, &new.owner, request)? {
                    return Ok(if asked == new.asked { Taken::Before(before) } else { Taken::Different });
                }
            }
            transaction
                .prepare_cached(
                    "INSERT INTO runs (id, owner, created, state, detail, request, asked)
                     VALUES (?1, ?2, ?3, 'open', ?4, ?5, ?6)",
                )?
                .execute(params![new.id, new.owner, Time::now(), new.detail, new.request, new.asked])?;
            Ok(Taken::New)
        })
    }

    /// What was taken under this name, and the digest of what was asked.
    pub fn before(&self, owner: &str, request: &str, remembered: Time) -> Result<Option<(Run, String)>, StoreError> {
        let found = self.store.read("look for a request", None, |transaction| named(transaction, owner, request))?;
        Ok(found.filter(|(run, _)| run.created >= remembered))
    }
}

fn forget_name(transaction: &Transaction<'_>, owner: &str, request: &str, before: Time) -> rusqlite::Result<()> {
    let update = "UPDATE runs SET request = NULL WHERE owner = ?1 AND request = ?2 AND created < ?3";
    transaction.prepare_cached(update)?.execute(params![owner, request, before]).map(drop)
}

fn named(transaction: &Transaction<'_>, owner: &str, request: &str) -> rusqlite::Result<Option<(Run, String)>> {
    let query = format!("SELECT {COLUMNS}, asked FROM runs WHERE owner = ?1 AND request = ?2");
    let found = |row: &rusqlite::Row<'_>| Ok((Run::from_row(row)?, row.get(6)?));
    transaction.prepare_cached(&query)?.query_row([owner, request], found).optional()
}
