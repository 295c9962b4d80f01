//! Finding one session by what a person typed.

use rusqlite::Transaction;

use super::session::COLUMNS;
use super::{Session, SessionError, Sessions};

/// Names the session that was used last.
pub const LATEST: &str = "latest";
/// Sessions that are fetched to name them in an error.
const CANDIDATES: usize = 20;

impl Sessions {
    /// The session that was asked for: [`LATEST`], an id, a title, or the beginning of exactly one id.
    pub fn find(&self, asked: &str) -> Result<Session, SessionError> {
        let asked = asked.trim();
        if asked == LATEST {
            // A task that an agent gave away is no conversation that a person had.
            return self
                .one("s.source <> 'delegate' ORDER BY s.updated DESC, s.id DESC LIMIT 1", &[])?
                .ok_or(SessionError::NoneYet);
        }
        if let Some(session) = self.one("s.id = ?1", &[asked])? {
            return Ok(session);
        }
        if let Some(session) = self.one("s.title = ?1", &[asked])? {
            return Ok(session);
        }
        let mut found = if asked.is_empty() { Vec::new() } else { self.beginning_with(asked)? };
        match found.len() {
            0 => Err(SessionError::NotFound { asked: asked.to_owned() }),
            1 => Ok(found.remove(0)),
            _ => {
                let candidates = found.into_iter().map(|session| session.id).collect();
                Err(SessionError::Ambiguous { asked: asked.to_owned(), candidates })
            }
        }
    }

    /// The session of this source that was used last.
    pub fn latest_of(&self, source: &str) -> Result<Option<Session>, SessionError> {
        self.one("s.source = ?1 ORDER BY s.updated DESC, s.id DESC LIMIT 1", &[source])
    }

    /// The session of this conversation that was used last.
    pub fn latest_of_key(&self, key: &str) -> Result<Option<Session>, SessionError> {
        self.one("s.session_key = ?1 ORDER BY s.updated DESC, s.id DESC LIMIT 1", &[key])
    }

    fn beginning_with(&self, start: &str) -> Result<Vec<Session>, SessionError> {
        // Not LIKE: a person may well type an underscore.
        let filter = format!("substr(s.id, 1, length(?1)) = ?1 ORDER BY s.id LIMIT {CANDIDATES}");
        self.all(&filter, &[start])
    }

    fn one(&self, filter: &str, parameters: &[&str]) -> Result<Option<Session>, SessionError> {
        Ok(self.all(filter, parameters)?.into_iter().next())
    }

    fn all(&self, filter: &str, parameters: &[&str]) -> Result<Vec<Session>, SessionError> {
        let read = |transaction: &Transaction<'_>| {
            let mut statement =
                transaction.prepare_cached(&format!("SELECT {COLUMNS} FROM sessions s WHERE {filter}"))?;
            statement.query_map(rusqlite::params_from_iter(parameters), Session::from_row)?.collect()
        };
        Ok(self.store.read("look for a session", Vec::new(), read)?)
    }
}
