//! Adding to a transcript, replacing its tail, and putting a summary in place of its middle.

use hermes_proto::message::{Message, Role, Usage};
use rusqlite::{OptionalExtension as _, Transaction};

use super::index::index_many;
use super::{Position, SessionError, SessionId, Sessions};
use crate::Time;

const INSERT: &str = "INSERT INTO messages (session, position, time, role, text, message, tool_calls, usage, archived,
    imported) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
const LAST: &str = "SELECT max(position) FROM messages WHERE session = ?1";

/// A message that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub message: Message,
    pub time: Time,
    /// What the provider counted for it; added to the session's.
    pub usage: Option<Usage>,
}

impl From<Message> for Said {
    /// Said now.
    fn from(message: Message) -> Self {
        Self { message, time: Time::now(), usage: None }
    }
}

/// Which end of a transcript is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    Everything,
    /// All behind this message, which the model must see.
    After(Position),
}

impl Sessions {
    /// Appends these messages, all or none; they are on disk when this answers.
    pub fn append(&self, session: &SessionId, said: &[Said]) -> Result<Vec<Position>, SessionError> {
        let rows = rows(said)?;
        self.write(session, "append messages", |transaction| append(transaction, session, &rows))
    }

    /// Removes the end of the transcript for good and appends these instead: undo and retry.
    pub fn replace_tail(&self, session: &SessionId, tail: Tail, said: &[Said]) -> Result<Vec<Position>, SessionError> {
        let rows = rows(said)?;
        let what = "replace the end of a transcript";
        self.try_write(session, what, |transaction| {
            let kept = match tail {
                Tail::Everything => Position::START,
                Tail::After(position) => self.seen(transaction, session, position)?,
            };
            let delete = "DELETE FROM messages WHERE session = ?1 AND position > ?2";
            let appended =
                transaction.execute(delete, (session, kept)).and_then(|_| append(transaction, session, &rows));
            appended.map_err(|error| self.store.error(what, error).into())
        })
    }

    /// Puts a summary in place of the messages from `first` to `last`. The model no longer sees those; they stay, and are found
    /// by a search.
    pub fn compact(
        &self,
        session: &SessionId,
        first: Position,
        last: Position,
        summary: &[Said],
    ) -> Result<Vec<Position>, SessionError> {
        let rows = rows(summary)?;
        let what = "put a summary into a transcript";
        self.try_write(session, what, |transaction| {
            self.seen(transaction, session, first)?;
            self.seen(transaction, session, last)?;
            let error = |error| self.store.error(what, error);
            let following = following(transaction, session, last).map_err(error)?;
            let positions = last
                .behind(following, rows.len())
                .ok_or_else(|| SessionError::NoRoom { session: session.clone(), position: last })?;
            for (row, position) in rows.iter().zip(&positions) {
                row.insert(transaction, session, *position).map_err(error)?;
            }
            let archive = "UPDATE messages SET archived = ?4
                WHERE session = ?1 AND position BETWEEN ?2 AND ?3 AND archived IS NULL";
            transaction.execute(archive, (session, first, last, Time::now())).map_err(error)?;
            count(transaction, session, &rows).map_err(error)?;
            Ok(positions)
        })
    }

    /// The position, if the model sees a message there.
    fn seen(
        &self,
        transaction: &Transaction<'_>,
        session: &SessionId,
        position: Position,
    ) -> Result<Position, SessionError> {
        let query = "SELECT position FROM messages WHERE session = ?1 AND position = ?2 AND archived IS NULL";
        let found = transaction.query_row(query, (session, position), |row| row.get(0)).optional();
        let found = found.map_err(|error| self.store.error("read a transcript", error))?;
        found.ok_or_else(|| SessionError::NotInTranscript { session: session.clone(), position })
    }

    fn write<T>(
        &self,
        session: &SessionId,
        what: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, SessionError> {
        self.try_write(session, what, |transaction| {
            work(transaction).map_err(|error| self.store.error(what, error).into())
        })
    }

    /// Changes a session that exists.
    pub(super) fn try_write<T>(
        &self,
        session: &SessionId,
        what: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        self.store.try_write(what, |transaction| {
            let query = "SELECT 1 FROM sessions WHERE id = ?1";
            let exists = transaction.prepare_cached(query).and_then(|mut statement| statement.exists([session]));
            if !exists.map_err(|error| self.store.error(what, error))? {
                return Err(SessionError::NotFound { asked: session.to_string() });
            }
            work(transaction)
        })
    }
}

/// A message ready to be written: JSON is made before others wait for the transaction.
pub(super) struct MessageRow {
    pub(super) time: Time,
    role: Role,
    text: String,
    message: String,
    tool_calls: i64,
    usage: Option<(Usage, String)>,
    /// Since when the model does not see it.
    pub(super) archived: Option<Time>,
    /// The id it had in the original.
    pub(super) imported: Option<i64>,
}

fn rows(said: &[Said]) -> Result<Vec<MessageRow>, SessionError> {
    said.iter().map(MessageRow::of).collect::<Result<_, _>>().map_err(SessionError::Unwritable)
}

impl MessageRow {
    pub(super) fn of(said: &Said) -> serde_json::Result<Self> {
        let Said { message, time, usage } = said;
        let usage = usage.map(|usage| serde_json::to_string(&usage).map(|text| (usage, text))).transpose()?;
        let tool_calls = i64::try_from(message.tool_calls().len()).unwrap_or(i64::MAX);
        let (role, text) = (message.role(), searchable(message));
        let message = serde_json::to_string(message)?;
        Ok(Self { time: *time, role, text, message, tool_calls, usage, archived: None, imported: None })
    }

    pub(super) fn insert(
        &self,
        transaction: &Transaction<'_>,
        session: &SessionId,
        position: Position,
    ) -> rusqlite::Result<()> {
        let Self { time, role, text, message, tool_calls, usage, archived, imported } = self;
        let usage = usage.as_ref().map(|(_, text)| text);
        let row = (session, position, time, role.as_str(), text, message, tool_calls, usage, archived, imported);
        transaction.prepare_cached(INSERT)?.execute(row)?;
        Ok(())
    }
}

/// All that was said, and which tools were called with what. What a model is told before a conversation is said by nobody, and
/// would be found in every session.
fn searchable(message: &Message) -> String {
    if message.role() == Role::System {
        return String::new();
    }
    let mut text = message.text();
    for call in message.tool_calls() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{} {}", call.name, call.arguments));
    }
    text
}

/// The position of the last message, archived ones included.
pub(super) fn last(transaction: &Transaction<'_>, session: &SessionId) -> rusqlite::Result<Position> {
    let last: Option<Position> = transaction.prepare_cached(LAST)?.query_row([session], |row| row.get(0))?;
    Ok(last.unwrap_or(Position::START))
}

fn append(transaction: &Transaction<'_>, session: &SessionId, rows: &[MessageRow]) -> rusqlite::Result<Vec<Position>> {
    let mut position = last(transaction, session)?;
    let mut positions = Vec::with_capacity(rows.len());
    for row in rows {
        position = position.next();
        row.insert(transaction, session, position)?;
        positions.push(position);
    }
    count(transaction, session, rows)?;
    index_many(transaction)?;
    Ok(positions)
}

/// Where the next message stands, or would.
fn following(transaction: &Transaction<'_>, session: &SessionId, position: Position) -> rusqlite::Result<Position> {
    let query = "SELECT min(position) FROM messages WHERE session = ?1 AND position > ?2";
    let found: Option<Position> =
        transaction.prepare_cached(query)?.query_row((session, position), |row| row.get(0))?;
    Ok(found.unwrap_or_else(|| position.next()))
}

/// The session was used now, and so many tokens more.
fn count(transaction: &Transaction<'_>, session: &SessionId, rows: &[MessageRow]) -> rusqlite::Result<()> {
    let used = rows.iter().filter_map(|row| row.usage.as_ref()).fold(Usage::default(), |sum, (usage, _)| sum + *usage);
    add_usage(transaction, session, used, Time::now())
}

pub(super) fn add_usage(
    transaction: &Transaction<'_>,
    session: &SessionId,
    usage: Usage,
    used: Time,
) -> rusqlite::Result<()> {
    let query = "UPDATE sessions SET updated = max(updated, ?2), input = input + ?3, output = output + ?4,
        cached_input = cached_input + ?5, cache_write = cache_write + ?6, reasoning = reasoning + ?7 WHERE id = ?1";
    // More tokens than fit are none that anybody counted.
    let number = |tokens: u64| i64::try_from(tokens).unwrap_or_default();
    let Usage { input, output, cached_input, cache_write, reasoning } = usage;
    let [input, output, cached_input, cache_write, reasoning] =
        [input, output, cached_input, cache_write, reasoning].map(number);
    let values = (session, used, input, output, cached_input, cache_write, reasoning);
    transaction.prepare_cached(query)?.execute(values)?;
    Ok(())
}
