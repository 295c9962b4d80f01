//! Answers of the API that callers can ask for again and go on from.
//!
//! Callers decide how many there are, so only the newest are kept, by number and by size. One belongs to the scope that made it; to
//! all others it does not exist. What was asked and answered is the gateway's own: here it is text.

#[cfg(test)]
mod tests;

use rusqlite::{OptionalExtension, Row, params};

use crate::{Store, StoreError, Time};

/// The answers of one store.
#[derive(Debug, Clone)]
pub struct Responses {
    store: Store,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub id: String,
    /// Whose it is.
    pub scope: String,
    pub session: String,
    /// The one that it went on from.
    pub previous: Option<String>,
    /// The series that it belongs to.
    pub conversation: Option<String>,
    /// What was asked, as JSON.
    pub said: String,
    /// What was answered, as JSON.
    pub body: String,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub responses: usize,
    pub bytes: usize,
}

/// Whether the session that made an answer can be gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continuation {
    /// It is this caller's, and nobody else's from now on.
    Session,
    /// Somebody has gone on with it: its answer stands, its session has moved.
    Moved,
}

const COLUMNS: &str = "id, scope, session, previous, conversation, said, body";

impl Responses {
    pub fn open(store: &Store) -> Self {
        Self { store: store.clone() }
    }

    /// Keeps an answer, and forgets the oldest that there is no room for.
    pub fn keep(&self, response: &Response, bounds: Bounds) -> Result<(), StoreError> {
        self.store.write("keep an answer", |transaction| {
            let Response { id, scope, session, previous, conversation, said, body } = response;
            transaction
                .prepare_cached(
                    "INSERT INTO responses (id, scope, session, previous, conversation, time, said, body)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?
                .execute(params![id, scope, session, previous, conversation, Time::now(), said, body])?;
            let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
            transaction
                .prepare_cached(
                    "DELETE FROM responses WHERE number IN (SELECT number FROM (
                         SELECT number, row_number() OVER newest AS place,
                             sum(length(said) + length(body)) OVER newest AS total
                         FROM responses WINDOW newest AS (ORDER BY number DESC)
                     ) WHERE place > ?1 OR total > ?2)",
                )?
                .execute(params![count(bounds.responses), count(bounds.bytes)])?;
            Ok(())
        })
    }

    pub fn find(&self, scope: &str, id: &str) -> Result<Option<Response>, StoreError> {
        self.one("scope = ?1 AND id = ?2", [scope, id])
    }

    /// The newest of a series.
    pub fn latest(&self, scope: &str, conversation: &str) -> Result<Option<Response>, StoreError> {
        self.one("scope = ?1 AND conversation = ?2 ORDER BY number DESC LIMIT 1", [scope, conversation])
    }

    /// Takes the session of an answer to go on with. Only one caller gets it.
    pub fn go_on(&self, scope: &str, id: &str) -> Result<Continuation, StoreError> {
        self.store.write("go on from an answer", |transaction| {
            let taken = transaction
                .prepare_cached("UPDATE responses SET continued = 1 WHERE scope = ?1 AND id = ?2 AND continued = 0")?
                .execute([scope, id])?;
            Ok(if taken == 1 { Continuation::Session } else { Continuation::Moved })
        })
    }

    /// An answer and those that it went on from, the oldest first: at most this many, as far back as they are known.
    pub fn chain(&self, scope: &str, id: &str, most: usize) -> Result<Vec<Response>, StoreError> {
        let mut chain: Vec<Response> = Vec::new();
        let mut next = Some(id.to_owned());
        while let Some(id) = next.filter(|_| chain.len() < most) {
            let found = self.find(scope, &id)?;
            next = found.as_ref().and_then(|found| found.previous.clone());
            chain.extend(found);
        }
        chain.reverse();
        Ok(chain)
    }

    /// Forgets one; whether there was one.
    pub fn remove(&self, scope: &str, id: &str) -> Result<bool, StoreError> {
        self.store.write("forget an answer", |transaction| {
            let removed = transaction.execute("DELETE FROM responses WHERE scope = ?1 AND id = ?2", [scope, id])?;
            Ok(removed == 1)
        })
    }

    fn one(&self, filter: &str, parameters: [&str; 2]) -> Result<Option<Response>, StoreError> {
        self.store.read("read an answer", None, |transaction| {
            let query = format!("SELECT {COLUMNS} FROM responses WHERE {filter}");
            transaction.prepare_cached(&query)?.query_row(parameters, from_row).optional()
        })
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Response> {
    Ok(Response {
        id: row.get(0)?,
        scope: row.get(1)?,
        session: row.get(2)?,
        previous: row.get(3)?,
        conversation: row.get(4)?,
        said: row.get(5)?,
        body: row.get(6)?,
    })
}
