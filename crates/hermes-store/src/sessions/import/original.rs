//! The original's file, read with whatever columns it has.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hermes_proto::message::Usage;
use rusqlite::{Connection, OpenFlags, Row};

use super::translate::{Columns, Translator};
use super::value::{count, some_text, text, time};
use crate::Time;
use crate::sessions::append::{MessageRow, Said};
use crate::sessions::{NewSession, SessionError, SessionId, Title};

const SESSION: &[&str] = &[
    "id",
    "source",
    "user_id",
    "model",
    "parent_session_id",
    "started_at",
    "ended_at",
    "end_reason",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "title",
    "cwd",
    "session_key",
];
const MESSAGE: &[&str] =
    &["id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "timestamp", "reasoning", "active"];

/// The open file.
pub(super) struct Original {
    path: PathBuf,
    connection: Connection,
    sessions: HashSet<String>,
    messages: HashSet<String>,
}

/// A session as the original has it.
pub(super) struct OriginalSession {
    pub(super) new: NewSession,
    pub(super) title: Option<Title>,
    pub(super) started: Time,
    pub(super) ended: Option<Time>,
    pub(super) end_reason: Option<String>,
    pub(super) usage: Usage,
}

impl Original {
    pub(super) fn open(path: &Path) -> Result<Self, SessionError> {
        std::fs::metadata(path).map_err(|source| SessionError::Look { path: path.to_owned(), source })?;
        let failed = |source| SessionError::Original { path: path.to_owned(), source };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(address(path), flags).map_err(failed)?;
        // One state of the file, even while the original is running.
        connection.execute_batch("BEGIN").map_err(failed)?;
        let sessions = columns(&connection, "sessions").map_err(failed)?;
        let messages = columns(&connection, "messages").map_err(failed)?;
        let original = Self { path: path.to_owned(), connection, sessions, messages };
        let needed = [
            ("sessions.id", original.sessions.contains("id")),
            ("messages.id", original.messages.contains("id")),
            ("messages.session_id", original.messages.contains("session_id")),
            ("messages.role", original.messages.contains("role")),
        ];
        match needed.into_iter().find(|(_, present)| !present) {
            Some((lacks, _)) => Err(SessionError::NotOriginal { path: original.path, lacks }),
            None => Ok(original),
        }
    }

    pub(super) fn sessions(&self) -> Result<Vec<OriginalSession>, SessionError> {
        let query =
            format!("SELECT {} FROM sessions WHERE id IS NOT NULL ORDER BY rowid", list(SESSION, &self.sessions));
        let read = || {
            self.connection.prepare(&query)?.query_map([], OriginalSession::from_row)?.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|source| self.failed(source))
    }

    /// The messages behind this id, and how many of them have no place here.
    pub(super) fn messages(&self, session: &SessionId, after: i64) -> Result<(Vec<MessageRow>, usize), SessionError> {
        let query = format!(
            "SELECT {} FROM messages WHERE session_id = ?1 AND id > ?2 ORDER BY id",
            list(MESSAGE, &self.messages)
        );
        let mut statement = self.connection.prepare_cached(&query).map_err(|source| self.failed(source))?;
        let mut rows = statement.query((session, after)).map_err(|source| self.failed(source))?;
        let (mut translator, mut read, mut skipped) = (Translator::default(), Vec::new(), 0);
        while let Some(row) = rows.next().map_err(|source| self.failed(source))? {
            match message(row, &mut translator).map_err(|source| self.failed(source))? {
                Some((said, id, archived)) => {
                    let mut row = MessageRow::of(&said).map_err(SessionError::Unwritable)?;
                    (row.archived, row.imported) = (archived, Some(id));
                    read.push(row);
                }
                None => skipped += 1,
            }
        }
        Ok((read, skipped))
    }

    /// Whether anything was said behind this id.
    pub(super) fn has_after(&self, session: &SessionId, after: i64) -> Result<bool, SessionError> {
        let query = "SELECT 1 FROM messages WHERE session_id = ?1 AND id > ?2
            AND role IN ('system', 'user', 'assistant', 'tool')";
        let exists = self.connection.prepare_cached(query).and_then(|mut found| found.exists((session, after)));
        exists.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: rusqlite::Error) -> SessionError {
        SessionError::Original { path: self.path.clone(), source }
    }
}

impl OriginalSession {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let words = |column| row.get_ref(column).map(some_text);
        let tokens = |column| row.get_ref(column).map(count);
        let (cached_input, cache_write) = (tokens(10)?, tokens(11)?);
        let new = NewSession {
            id: SessionId::from(text(row.get_ref(0)?).unwrap_or_default()),
            source: words(1)?.unwrap_or_else(|| "unknown".to_owned()),
            key: words(15)?,
            user: words(2)?,
            model: words(3)?,
            folder: words(14)?,
            parent: words(4)?.map(SessionId::from),
        };
        Ok(Self {
            new,
            title: words(13)?.as_deref().and_then(Title::from_any),
            started: time(row.get_ref(5)?).unwrap_or(Time::from_microseconds(0)),
            ended: time(row.get_ref(6)?),
            end_reason: words(7)?,
            usage: Usage {
                // The original counts what came from a cache apart.
                input: tokens(8)?.saturating_add(cached_input).saturating_add(cache_write),
                output: tokens(9)?,
                cached_input,
                cache_write,
                reasoning: tokens(12)?,
            },
        })
    }
}

/// The message, its id, and since when the model did not see it.
fn message(row: &Row<'_>, translator: &mut Translator) -> rusqlite::Result<Option<(Said, i64, Option<Time>)>> {
    let said_at = time(row.get_ref(6)?).unwrap_or(Time::from_microseconds(0));
    let columns = Columns {
        role: text(row.get_ref(1)?).unwrap_or_default(),
        content: text(row.get_ref(2)?),
        tool_call_id: text(row.get_ref(3)?),
        tool_calls: text(row.get_ref(4)?),
        tool_name: some_text(row.get_ref(5)?),
        reasoning: some_text(row.get_ref(7)?),
    };
    let inactive = text(row.get_ref(8)?).is_some_and(|active| active == "0");
    let id = row.get(0)?;
    let message = translator.message(columns);
    Ok(message.map(|message| (Said { message, time: said_at, usage: None }, id, inactive.then_some(said_at))))
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<HashSet<String>> {
    connection.prepare("SELECT name FROM pragma_table_info(?1)")?.query_map([table], |row| row.get(0))?.collect()
}

/// The wanted columns, nothing in place of those that are not there.
fn list(wanted: &[&str], present: &HashSet<String>) -> String {
    let column = |name: &&str| if present.contains(*name) { (*name).to_owned() } else { "NULL".to_owned() };
    wanted.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// The file as an address that SQLite opens without leaving anything beside it, unless the original is at work or was killed: then
/// its log has to be read too.
fn address(path: &Path) -> String {
    let mut log = OsString::from(path);
    log.push("-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let escaped = absolute.as_os_str().as_bytes().iter().map(|byte| match plain(*byte) {
        true => char::from(*byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    format!("file://{}?{}", escaped.collect::<String>(), if has_log { "mode=ro" } else { "immutable=1" })
}
