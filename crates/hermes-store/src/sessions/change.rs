//! Changing what is known about a session.

use hermes_proto::message::Usage;
use rusqlite::{OptionalExtension as _, Transaction};

use super::append::add_usage;
use super::{SessionError, SessionId, Sessions, Title};
use crate::Time;

/// More sessions of one title than this are not numbered.
const MOST_OF_ONE_TITLE: u32 = 10_000;

impl Sessions {
    /// Tokens that belong to no message: a compression, a title.
    pub fn add_usage(&self, session: &SessionId, usage: Usage) -> Result<(), SessionError> {
        self.change(session, "add to the usage", |transaction| add_usage(transaction, session, usage, Time::now()))
    }

    /// The model that answers from now on.
    pub fn set_model(&self, session: &SessionId, model: &str) -> Result<(), SessionError> {
        self.change(session, "set the model of a session", |transaction| {
            transaction.execute("UPDATE sessions SET model = ?2 WHERE id = ?1", (session, model)).map(drop)
        })
    }

    /// Where commands start from now on.
    pub fn set_folder(&self, session: &SessionId, folder: &str) -> Result<(), SessionError> {
        self.change(session, "set the folder of a session", |transaction| {
            transaction.execute("UPDATE sessions SET folder = ?2 WHERE id = ?1", (session, folder)).map(drop)
        })
    }

    /// Nothing more will be said, for this reason.
    pub fn end(&self, session: &SessionId, reason: &str) -> Result<(), SessionError> {
        self.change(session, "end a session", |transaction| {
            let query = "UPDATE sessions SET ended = ?2, end_reason = ?3 WHERE id = ?1";
            transaction.execute(query, (session, Time::now(), reason)).map(drop)
        })
    }

    /// It goes on after all.
    pub fn resume(&self, session: &SessionId) -> Result<(), SessionError> {
        self.change(session, "resume a session", |transaction| {
            transaction
                .execute("UPDATE sessions SET ended = NULL, end_reason = NULL WHERE id = ?1", [session])
                .map(drop)
        })
    }

    /// Gives a session a title that no other has.
    pub fn rename(&self, session: &SessionId, title: &str) -> Result<Title, SessionError> {
        let title = Title::parse(title).map_err(|problem| SessionError::Title { text: title.to_owned(), problem })?;
        let what = "rename a session";
        self.try_write(session, what, |transaction| {
            let error = |error| self.store.error(what, error);
            match holder(transaction, &title).map_err(error)? {
                Some(holder) if holder != *session => {
                    Err(SessionError::TitleTaken { title: title.to_string(), holder })
                }
                _ => set_title(transaction, session, &title).map_err(error).map(|()| title).map_err(Into::into),
            }
        })
    }

    /// Gives a session this title, or the first of `title #2`, `title #3` … that no other has.
    pub fn rename_freely(&self, session: &SessionId, title: &Title) -> Result<Title, SessionError> {
        let what = "rename a session";
        self.try_write(session, what, |transaction| {
            let error = |error| self.store.error(what, error);
            let free = free(transaction, session, title).map_err(error)?;
            let free =
                free.ok_or_else(|| SessionError::TitleTaken { title: title.to_string(), holder: session.clone() })?;
            set_title(transaction, session, &free).map_err(error)?;
            Ok(free)
        })
    }

    fn change(
        &self,
        session: &SessionId,
        what: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), SessionError> {
        self.try_write(session, what, |transaction| {
            work(transaction).map_err(|error| self.store.error(what, error).into())
        })
    }
}

/// The title, or it with the first number that makes it free.
pub(super) fn free(
    transaction: &Transaction<'_>,
    session: &SessionId,
    title: &Title,
) -> rusqlite::Result<Option<Title>> {
    for number in 1..MOST_OF_ONE_TITLE {
        let candidate = if number == 1 { title.clone() } else { title.numbered(number) };
        match holder(transaction, &candidate)? {
            Some(holder) if holder != *session => {}
            _ => return Ok(Some(candidate)),
        }
    }
    Ok(None)
}

fn holder(transaction: &Transaction<'_>, title: &Title) -> rusqlite::Result<Option<SessionId>> {
    let mut statement = transaction.prepare_cached("SELECT id FROM sessions WHERE title = ?1")?;
    statement.query_row([title.as_str()], |row| row.get(0)).optional()
}

fn set_title(transaction: &Transaction<'_>, session: &SessionId, title: &Title) -> rusqlite::Result<()> {
    transaction.execute("UPDATE sessions SET title = ?2 WHERE id = ?1", (session, title.as_str())).map(drop)
}
