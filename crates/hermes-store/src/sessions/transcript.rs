//! Messages in their order, as the model sees them or as they all were.

use std::fmt;

use hermes_proto::message::{Message, Usage};
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, Transaction};
use serde::Serialize;

use super::{SessionError, SessionId, Sessions, repair};
use crate::Time;

const WHAT: &str = "read a transcript";

/// Where a message stands in its session: later ones have greater positions, not always the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Position(i64);

/// Whether the model sees a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Active,
    /// A summary took its place at this moment.
    Archived(Time),
}

/// A message as the store has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stored {
    pub position: Position,
    pub time: Time,
    pub standing: Standing,
    pub usage: Option<Usage>,
    pub message: Message,
}

/// What the model sees of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transcript {
    pub messages: Vec<Stored>,
}

impl Transcript {
    /// The messages as a provider accepts them, whatever the moment at which the process was killed: every tool call has its
    /// result, and every result its call.
    pub fn repaired(&self) -> Vec<Message> {
        repair::repaired(self.messages.iter().map(|stored| &stored.message))
    }
}

impl Sessions {
    /// What the model sees.
    pub fn transcript(&self, session: &SessionId) -> Result<Transcript, SessionError> {
        let messages = self.load(session, "AND archived IS NULL")?;
        Ok(Transcript { messages })
    }

    /// Everything that was ever said, also what summaries stand for now.
    pub fn everything(&self, session: &SessionId) -> Result<Vec<Stored>, SessionError> {
        self.load(session, "")
    }

    fn load(&self, session: &SessionId, filter: &str) -> Result<Vec<Stored>, SessionError> {
        self.store.try_read(WHAT, Vec::new(), |transaction| {
            let rows = rows(transaction, session, filter).map_err(|error| self.store.error(WHAT, error))?;
            rows.into_iter().map(|row| row.read(session)).collect()
        })
    }
}

/// A row whose JSON has not been read.
struct Raw {
    position: Position,
    time: Time,
    archived: Option<Time>,
    usage: Option<String>,
    message: String,
}

fn rows(transaction: &Transaction<'_>, session: &SessionId, filter: &str) -> rusqlite::Result<Vec<Raw>> {
    let query = format!(
        "SELECT position, time, archived, usage, message FROM messages WHERE session = ?1 {filter} ORDER BY position"
    );
    transaction.prepare_cached(&query)?.query_map([session], Raw::from_row)?.collect()
}

impl Raw {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            position: row.get(0)?,
            time: row.get(1)?,
            archived: row.get(2)?,
            usage: row.get(3)?,
            message: row.get(4)?,
        })
    }

    fn read(self, session: &SessionId) -> Result<Stored, SessionError> {
        let unreadable =
            |source| SessionError::Unreadable { session: session.clone(), position: self.position, source };
        Ok(Stored {
            position: self.position,
            time: self.time,
            standing: self.archived.map_or(Standing::Active, Standing::Archived),
            usage: self.usage.as_deref().map(serde_json::from_str).transpose().map_err(unreadable)?,
            message: serde_json::from_str(&self.message).map_err(unreadable)?,
        })
    }
}

impl Position {
    /// Before every message.
    pub(super) const START: Self = Self(0);

    /// How far apart messages stand, so that summaries find room behind any of them.
    const STEP: i64 = 1 << 32;
    /// The part of the room that one summary takes: little, because the next one comes behind it.
    const SHARE: i64 = 16;

    /// Where the next message stands if this was the last.
    pub(super) fn next(self) -> Self {
        Self((self.0 / Self::STEP + 1) * Self::STEP)
    }

    /// Places for so many messages between this one and the `following`; `None` if there is no room.
    pub(super) fn behind(self, following: Self, count: usize) -> Option<Vec<Self>> {
        let count = i64::try_from(count).ok()?;
        let distance = (following.0 - self.0) / Self::SHARE.checked_mul(count.max(1))?;
        let distance = distance.max(1);
        let places: Vec<Self> = (1..=count).map(|number| Self(self.0 + number * distance)).collect();
        places.last().is_none_or(|last| *last < following).then_some(places)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl ToSql for Position {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for Position {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}
