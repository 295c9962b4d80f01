//! A second session that goes on from where a first one stands.

use super::session::insert;
use super::{NewSession, SessionError, SessionId, Sessions};
use crate::Time;

impl Sessions {
    /// Begins this session with everything that the model sees of `from`, all of it or nothing. The two go on apart.
    pub fn fork(&self, from: &SessionId, new: &NewSession) -> Result<SessionId, SessionError> {
        let what = "fork a session";
        let new = NewSession { parent: Some(from.clone()), ..new.clone() };
        self.try_write(from, what, |transaction| {
            let copy = "INSERT INTO messages (session, position, time, role, text, message, tool_calls)
                SELECT ?2, position, time, role, text, message, tool_calls FROM messages
                WHERE session = ?1 AND archived IS NULL ORDER BY position";
            insert(transaction, &new, None, Time::now())
                .and_then(|()| transaction.execute(copy, (from, &new.id)))
                .map_err(|error| self.store.error(what, error))?;
            Ok(new.id.clone())
        })
    }
}
