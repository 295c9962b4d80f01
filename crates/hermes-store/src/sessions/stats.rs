//! How much there is.

use hermes_proto::message::Usage;
use rusqlite::Transaction;
use serde::Serialize;

use super::Sessions;
use crate::{StoreError, Time};

/// Sums over all sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Stats {
    pub sessions: i64,
    pub messages: i64,
    pub tool_calls: i64,
    pub usage: Usage,
    pub oldest: Option<Time>,
    pub newest: Option<Time>,
    /// The most used first.
    pub sources: Vec<OfSource>,
    /// Of the store's file, audit chain included.
    pub bytes: i64,
}

/// Sums over the sessions of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OfSource {
    pub source: String,
    pub sessions: i64,
    pub messages: i64,
}

impl Sessions {
    pub fn stats(&self) -> Result<Stats, StoreError> {
        self.store.read("count sessions", Stats::default(), |transaction| {
            let mut stats = sums(transaction)?;
            (stats.messages, stats.tool_calls) =
                transaction.query_row("SELECT count(*), coalesce(sum(tool_calls), 0) FROM messages", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?;
            stats.sources = sources(transaction)?;
            let bytes = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
            stats.bytes = transaction.query_row(bytes, [], |row| row.get(0))?;
            Ok(stats)
        })
    }
}

fn sums(transaction: &Transaction<'_>) -> rusqlite::Result<Stats> {
    let query = "SELECT count(*), min(started), max(updated), coalesce(sum(input), 0), coalesce(sum(output), 0),
        coalesce(sum(cached_input), 0), coalesce(sum(cache_write), 0), coalesce(sum(reasoning), 0) FROM sessions";
    transaction.query_row(query, [], |row| {
        let tokens = |column| row.get::<_, i64>(column).map(|count| u64::try_from(count).unwrap_or_default());
        let usage = Usage {
            input: tokens(3)?,
            output: tokens(4)?,
            cached_input: tokens(5)?,
            cache_write: tokens(6)?,
            reasoning: tokens(7)?,
        };
        Ok(Stats { sessions: row.get(0)?, oldest: row.get(1)?, newest: row.get(2)?, usage, ..Stats::default() })
    })
}

fn sources(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<OfSource>> {
    let query =
        "SELECT s.source, count(DISTINCT s.id), count(m.id) FROM sessions s LEFT JOIN messages m ON m.session = s.id
        GROUP BY s.source ORDER BY 2 DESC, 1";
    let read =
        |row: &rusqlite::Row<'_>| Ok(OfSource { source: row.get(0)?, sessions: row.get(1)?, messages: row.get(2)? });
    transaction.prepare(query)?.query_map([], read)?.collect()
}
