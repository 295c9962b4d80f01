//! Full-text search over everything that was said.
//!
//! The text that is looked for comes from a model or a person and is never read as a query: each word is quoted. Words
//! that the index cannot find, such as a part of a Chinese sentence or of an identifier, are then looked for letter by letter.

use hermes_proto::message::Role;
use rusqlite::{Row, Transaction};
use serde::Serialize;

use super::{Position, SessionId, Sessions};
use crate::{StoreError, Time};

/// Words that are looked for; more make a query slow and find nothing.
const MOST_WORDS: usize = 32;
/// Characters of them altogether.
const LONGEST_QUERY: usize = 1000;
/// Hits at most, whatever is asked for.
const MOST_HITS: usize = 500;
/// Characters before and behind a match that was found letter by letter.
const AROUND: i64 = 60;

const FOUND: &str = "SELECT m.session, s.title, s.source, m.position, m.time, m.role, m.archived IS NOT NULL, ";
const WANTED: &str = "(?2 IS NULL OR m.session = ?2) AND (?3 IS NULL OR s.source = ?3) AND (?4 IS NULL OR m.role = ?4)
     AND (?5 IS NULL OR s.session_key = ?5)";

/// Where is looked, and for how much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchFilter {
    pub limit: usize,
    pub session: Option<SessionId>,
    pub source: Option<String>,
    pub role: Option<Role>,
    /// Only conversations of this key: what one chat may see of a home that serves many.
    pub key: Option<String>,
}

impl SearchFilter {
    /// Everywhere.
    pub fn everywhere(limit: usize) -> Self {
        Self { limit, session: None, source: None, role: None, key: None }
    }
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    pub session: SessionId,
    pub title: Option<String>,
    pub source: String,
    pub position: Position,
    pub time: Time,
    pub role: String,
    /// Whether a summary stands in its place for the model.
    pub archived: bool,
    /// The text around the match, the words that were found between `**`.
    pub snippet: String,
}

impl Sessions {
    /// The messages in which all these words are, the best first.
    pub fn search(&self, text: &str, filter: &SearchFilter) -> Result<Vec<Hit>, StoreError> {
        let text: String = text.chars().take(LONGEST_QUERY).collect();
        let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS).collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        self.index_all()?;
        self.store.read("search", Vec::new(), |transaction| {
            let hits = indexed(transaction, &words, filter)?;
            if hits.is_empty() { by_letter(transaction, &words, filter) } else { Ok(hits) }
        })
    }
}

fn indexed(transaction: &Transaction<'_>, words: &[&str], filter: &SearchFilter) -> rusqlite::Result<Vec<Hit>> {
    let query = format!(
        "{FOUND} snippet(messages_text, 0, '**', '**', '…', 24)
         FROM messages_text JOIN messages m ON m.id = messages_text.rowid JOIN sessions s ON s.id = m.session
         WHERE messages_text MATCH ?1 AND {WANTED} ORDER BY messages_text.rank, m.time DESC LIMIT ?6"
    );
    collect(transaction, &query, &quoted(words), filter)
}

/// The words as a query that asks for them and nothing else.
fn quoted(words: &[&str]) -> String {
    let quote = |word: &&str| format!("\"{}\"", word.replace('\0', "").replace('"', "\"\""));
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

fn by_letter(transaction: &Transaction<'_>, words: &[&str], filter: &SearchFilter) -> rusqlite::Result<Vec<Hit>> {
    // All words as they were typed, one after the other.
    let text = words.join(" ");
    let query = format!(
        "{FOUND} substr(m.text, max(1, instr(lower(m.text), lower(?1)) - {AROUND}), length(?1) + 2 * {AROUND})
         FROM messages m JOIN sessions s ON s.id = m.session
         WHERE instr(lower(m.text), lower(?1)) > 0 AND {WANTED} ORDER BY m.time DESC LIMIT ?6"
    );
    collect(transaction, &query, &text, filter)
}

fn collect(
    transaction: &Transaction<'_>,
    query: &str,
    text: &str,
    filter: &SearchFilter,
) -> rusqlite::Result<Vec<Hit>> {
    let limit = i64::try_from(filter.limit.min(MOST_HITS)).unwrap_or_default();
    let parameters = (text, &filter.session, &filter.source, filter.role.map(Role::as_str), &filter.key, limit);
    transaction.prepare_cached(query)?.query_map(parameters, Hit::from_row)?.collect()
}

impl Hit {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            session: row.get(0)?,
            title: row.get(1)?,
            source: row.get(2)?,
            position: row.get(3)?,
            time: row.get(4)?,
            role: row.get(5)?,
            archived: row.get(6)?,
            snippet: row.get(7)?,
        })
    }
}
