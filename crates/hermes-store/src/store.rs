//! The file and the connections to it.
//!
//! A store is opened by its first use, not by being named: most commands never touch it. One connection writes and one reads, so
//! that a long search or export does not hold up a turn; each is used by one thread at a time. All calls block: asynchronous code
//! calls from a thread that may.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_home::files::{self, Change, Mode, UpdateError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::schema::{self, Layout};
use crate::{Settings, StoreError};

/// The store's name in the home.
pub const FILE: &str = "hermes.db";
/// What SQLite calls the log of changes beside it.
const LOG: &str = "hermes.db-wal";
/// How long a writer waits for the writers of other processes.
const PATIENCE: Duration = Duration::from_secs(30);
/// A log that a burst of writes has blown up is cut back to this.
const LARGEST_IDLE_LOG: i64 = 16 << 20;
const CACHED_STATEMENTS: usize = 64;

/// The store of one home. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    home: PathBuf,
    path: PathBuf,
    settings: Settings,
    writer: Mutex<Option<Connection>>,
    reader: Mutex<Option<Connection>>,
}

/// Whether a missing file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Create,
    Leave,
}

impl Store {
    /// The store of the home in this folder. Nothing is opened or created before the first use.
    pub fn of(home: &Path, settings: Settings) -> Self {
        let (writer, reader) = (Mutex::new(None), Mutex::new(None));
        Self { shared: Arc::new(Shared { home: home.to_owned(), path: home.join(FILE), settings, writer, reader }) }
    }

    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Gives the room of what was removed back to the disk.
    pub fn vacuum(&self) -> Result<(), StoreError> {
        let mut writer = lock(&self.shared.writer);
        let connection = self.writer(&mut writer)?;
        connection.execute_batch("VACUUM").map_err(|error| self.error("make the file smaller", error))
    }

    /// Does all of `work` or nothing of it. The file is created if it is missing.
    pub(crate) fn write<T>(
        &self,
        what: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.try_write(what, |transaction| work(transaction).map_err(|error| self.error(what, error)))
    }

    /// The same for work that fails in ways of its own.
    pub(crate) fn try_write<T, E: From<StoreError>>(
        &self,
        what: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut writer = lock(&self.shared.writer);
        let connection = self.writer(&mut writer)?;
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| self.error(what, error))?;
        let result = work(&transaction)?;
        transaction.commit().map_err(|error| self.error(what, error))?;
        Ok(result)
    }

    /// Reads one consistent state of the file, or answers `absent` if there is none. Never creates it.
    pub(crate) fn read<T>(
        &self,
        what: &'static str,
        absent: T,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.try_read(what, absent, |transaction| work(transaction).map_err(|error| self.error(what, error)))
    }

    /// The same for work that fails in ways of its own.
    pub(crate) fn try_read<T, E: From<StoreError>>(
        &self,
        what: &'static str,
        absent: T,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut reader = lock(&self.shared.reader);
        let Some(connection) = self.reader(&mut reader)? else { return Ok(absent) };
        let begun = connection.transaction_with_behavior(TransactionBehavior::Deferred);
        work(&begun.map_err(|error| self.error(what, error))?)
    }

    pub(crate) fn error(&self, what: &'static str, source: rusqlite::Error) -> StoreError {
        StoreError::of(what, &self.shared.path, source)
    }

    fn writer<'c>(&self, slot: &'c mut Option<Connection>) -> Result<&'c mut Connection, StoreError> {
        if slot.is_none() {
            self.look(Missing::Create)?;
            *slot = Some(self.shared.open()?);
        }
        slot.as_mut().ok_or_else(|| StoreError::NotAFile { path: self.shared.path.clone() })
    }

    fn reader<'c>(&self, slot: &'c mut Option<Connection>) -> Result<Option<&'c mut Connection>, StoreError> {
        if slot.is_none() && self.look(Missing::Leave)? == Found::File {
            *slot = Some(self.shared.open()?);
        }
        Ok(slot.as_mut())
    }

    /// Finds the file, or makes it: whole and empty, or not at all.
    fn look(&self, missing: Missing) -> Result<Found, StoreError> {
        let Shared { home, path, .. } = &*self.shared;
        match std::fs::symlink_metadata(path) {
            Ok(found) if !found.is_file() => Err(StoreError::NotAFile { path: path.clone() }),
            // A store is never created empty, so this one has been cut off; SQLite would quietly start anew.
            Ok(found) if found.len() == 0 => {
                Err(StoreError::Damaged { path: path.clone(), problem: "the file is empty".to_owned() })
            }
            Ok(_) => Ok(Found::File),
            Err(error) if error.kind() == io::ErrorKind::NotFound && missing == Missing::Leave => Ok(Found::Nothing),
            Err(error) if error.kind() == io::ErrorKind::NotFound => create(home).map(|()| Found::File),
            Err(source) => Err(StoreError::Look { path: path.clone(), source }),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    File,
    Nothing,
}

/// Puts a laid-out file in place, private; one that another process put there meanwhile stays.
fn create(home: &Path) -> Result<(), StoreError> {
    let image = schema::image().map_err(StoreError::LayOut)?;
    let log = home.join(LOG);
    let updated = files::update(home, FILE, Mode::Private, |current| match current {
        Some(_) => Ok(Change::Keep),
        // SQLite would play another file's changes into the new one.
        None if log.exists() => Err(StoreError::LogAlone { log }),
        None => Ok(Change::Replace(image)),
    });
    updated.map_err(|error| match error {
        UpdateError::File(error) => StoreError::Create(error),
        UpdateError::Refused(error) => error,
    })
}

impl Shared {
    fn open(&self) -> Result<Connection, StoreError> {
        let mut connection = self.connect().map_err(|error| self.error("open", error))?;
        match schema::layout(&connection).map_err(|error| self.error("read the layout", error))? {
            Layout::Current => {}
            Layout::Foreign => return Err(StoreError::Foreign { path: self.path.clone() }),
            Layout::Newer(found) => {
                return Err(StoreError::Newer { path: self.path.clone(), found, known: schema::known() });
            }
            Layout::Older(from) => {
                let (path, to) = (self.path.clone(), schema::known());
                schema::migrate(&mut connection).map_err(|source| StoreError::Migrate { path, from, to, source })?;
            }
        }
        self.set_up(&connection).map_err(|error| self.error("set up", error))?;
        Ok(connection)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        // A log that is written back when a program ends makes the program wait for the disk, and the next one that begins a
        // log too. Left as it is, the next one goes on with it; it is written back when it has grown long.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        // Else a statement is compiled anew whenever a value changes that its plan might depend on.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        Ok(connection)
    }

    fn set_up(&self, connection: &Connection) -> rusqlite::Result<()> {
        let (journal, synchronous) = (self.settings.journal.as_str(), self.settings.synchronous.as_str());
        let current: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        if current != journal {
            connection.query_row(&format!("PRAGMA journal_mode = {journal}"), [], |_| Ok(()))?;
        }
        connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = on;"))?;
        // What SQL text in the file itself (a view, a trigger that was put there) may call is kept small.
        connection.execute_batch("PRAGMA trusted_schema = off;")?;
        connection.query_row(&format!("PRAGMA journal_size_limit = {LARGEST_IDLE_LOG}"), [], |_| Ok(()))
    }

    fn error(&self, what: &'static str, source: rusqlite::Error) -> StoreError {
        StoreError::of(what, &self.path, source)
    }
}

/// A thread that panicked in a transaction has rolled it back while it unwound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Store").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_go_anywhere<T: Send + Sync + Clone + 'static>() {}

    #[test]
    fn handles_are_shared_between_threads() {
        may_go_anywhere::<Store>();
        may_go_anywhere::<crate::audit::Audit>();
        may_go_anywhere::<crate::sessions::Sessions>();
        let folder = tempfile::tempdir().unwrap();
        let sessions = crate::sessions::Sessions::open(&Store::of(folder.path(), Settings::default()));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| sessions.create(&crate::sessions::NewSession::from("cli")).unwrap());
            }
        });
        assert_eq!(sessions.stats().unwrap().sessions, 8);
    }
}
