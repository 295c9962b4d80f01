//! What is known about a session besides its messages.

use hermes_proto::message::Usage;
use rusqlite::{Row, Transaction};
use serde::Serialize;

use super::{SessionId, Sessions, Title};
use crate::{StoreError, Time};

/// The columns that [`Session::from_row`] reads, of a table `sessions` called `s`.
pub(super) const COLUMNS: &str = "s.id, s.title, s.source, s.session_key, s.user, s.model, s.folder, s.parent, s.started,
    s.updated, s.ended, s.end_reason, s.input, s.output, s.cached_input, s.cache_write, s.reasoning,
    (SELECT count(*) FROM messages m WHERE m.session = s.id),
    (SELECT coalesce(sum(m.tool_calls), 0) FROM messages m WHERE m.session = s.id),
    (SELECT substr(m.text, 1, 200) FROM messages m WHERE m.session = s.id AND m.role = 'user' ORDER BY m.position LIMIT 1)";

/// A session that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    pub id: SessionId,
    /// `cli`, `telegram`, `api_server` …
    pub source: String,
    /// The conversation's key; several sessions of one conversation share it.
    pub key: Option<String>,
    pub user: Option<String>,
    pub model: Option<String>,
    /// Where commands start.
    pub folder: Option<String>,
    /// The session this one goes on from.
    pub parent: Option<SessionId>,
}

impl NewSession {
    /// A session with a new id and nothing else known.
    pub fn from(source: impl Into<String>) -> Self {
        let (id, source) = (SessionId::new(), source.into());
        Self { id, source, key: None, user: None, model: None, folder: None, parent: None }
    }
}

/// A session. Counts include what the model no longer sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Session {
    pub id: SessionId,
    pub title: Option<String>,
    pub source: String,
    pub key: Option<String>,
    pub user: Option<String>,
    pub model: Option<String>,
    pub folder: Option<String>,
    pub parent: Option<SessionId>,
    pub started: Time,
    pub updated: Time,
    pub ended: Option<Time>,
    pub end_reason: Option<String>,
    pub usage: Usage,
    pub messages: i64,
    pub tool_calls: i64,
    /// How the first message of a person begins.
    pub preview: Option<String>,
}

impl Sessions {
    pub fn create(&self, new: &NewSession) -> Result<SessionId, StoreError> {
        self.store.write("create a session", |transaction| insert(transaction, new, None, Time::now()))?;
        Ok(new.id.clone())
    }
}

pub(super) fn insert(
    transaction: &Transaction<'_>,
    new: &NewSession,
    title: Option<&Title>,
    started: Time,
) -> rusqlite::Result<()> {
    let query = "INSERT INTO sessions (id, title, source, session_key, user, model, folder, parent, started, updated)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)";
    let NewSession { id, source, key, user, model, folder, parent } = new;
    let title = title.map(Title::as_str);
    transaction.prepare_cached(query)?.execute((id, title, source, key, user, model, folder, parent, started))?;
    Ok(())
}

impl Session {
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let tokens = |column| row.get::<_, i64>(column).map(|count| u64::try_from(count).unwrap_or_default());
        Ok(Self {
            id: row.get(0)?,
            title: row.get(1)?,
            source: row.get(2)?,
            key: row.get(3)?,
            user: row.get(4)?,
            model: row.get(5)?,
            folder: row.get(6)?,
            parent: row.get(7)?,
            started: row.get(8)?,
            updated: row.get(9)?,
            ended: row.get(10)?,
            end_reason: row.get(11)?,
            usage: Usage {
                input: tokens(12)?,
                output: tokens(13)?,
                cached_input: tokens(14)?,
                cache_write: tokens(15)?,
                reasoning: tokens(16)?,
            },
            messages: row.get(17)?,
            tool_calls: row.get(18)?,
            preview: row.get(19)?,
        })
    }
}
