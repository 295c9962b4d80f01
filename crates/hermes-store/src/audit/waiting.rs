//! Entries that are written with the next ones: half of what is recorded about a command need not be on disk before anything
//! else happens, and a transaction costs more than what is in it.
//!
//! Whoever writes holds the list until it is on disk. Else another could write what follows an entry before the entry itself.

use std::sync::{Mutex, PoisonError};

use super::Sequence;
use super::append::{Content, write};
use crate::{Store, StoreError};

/// More than these are not kept waiting.
const MOST: usize = 64;

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) store: Store,
    pub(super) contents: Mutex<Vec<Content>>,
}

impl Waiting {
    /// Writes what waits and then these, all or none; where these stand.
    pub(super) fn write_with(&self, contents: &[Content]) -> Result<Vec<Sequence>, StoreError> {
        let mut waiting = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let before = waiting.len();
        waiting.extend_from_slice(contents);
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        match write(&self.store, &waiting) {
            Ok(mut sequences) => {
                waiting.clear();
                Ok(sequences.split_off(before))
            }
            Err(error) => {
                waiting.truncate(before);
                Err(error)
            }
        }
    }

    pub(super) fn add(&self, contents: Vec<Content>) -> Result<(), StoreError> {
        let mut waiting = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() + contents.len() > MOST {
            drop(waiting);
            return self.write_with(&contents).map(drop);
        }
        waiting.extend(contents);
        Ok(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Err(error) = self.write_with(&[]) {
            tracing::error!(%error, "the end of the audit chain is not on disk");
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_home::redact::Redactor;
    use rusqlite::Connection;

    use super::super::{Audit, Entry, Filter, Kind, RequestId};
    use super::MOST;
    use crate::{FILE, Settings, Store};

    fn audit_in(folder: &tempfile::TempDir) -> Audit {
        Audit::open(&Store::of(folder.path(), Settings::default()), Redactor::default())
    }

    fn entry(kind: Kind) -> Entry {
        Entry::new(kind, &RequestId::new())
    }

    /// What is on disk, as another process sees it.
    #[track_caller]
    fn check(folder: &tempfile::TempDir, expected: &[Kind]) {
        let audit = audit_in(folder);
        let found = audit.entries(&Filter::first(1000)).unwrap();
        let kinds: Vec<_> = found.iter().map(|recorded| recorded.kind.as_str()).collect();
        assert_eq!(kinds, expected.iter().map(|kind| kind.as_str()).collect::<Vec<_>>());
        assert_eq!(audit.verify().unwrap().count, i64::try_from(expected.len()).unwrap());
    }

    #[test]
    fn what_waits_goes_before_what_is_written_next() {
        let folder = tempfile::tempdir().unwrap();
        let audit = audit_in(&folder);
        audit.append_soon(&[entry(Kind::Request), entry(Kind::Decision)]).unwrap();
        check(&folder, &[]);
        let positions = audit.append(&[entry(Kind::Start)]).unwrap();
        assert_eq!(positions, [super::Sequence(3)], "where its own entry stands");
        check(&folder, &[Kind::Request, Kind::Decision, Kind::Start]);
        audit.clone().append_soon(&[entry(Kind::End)]).unwrap();
        audit.settle().unwrap();
        audit.settle().unwrap();
        check(&folder, &[Kind::Request, Kind::Decision, Kind::Start, Kind::End]);
    }

    #[test]
    fn the_last_handle_leaves_nothing_unwritten() {
        let folder = tempfile::tempdir().unwrap();
        let audit = audit_in(&folder);
        let clone = audit.clone();
        audit.append_soon(&[entry(Kind::End)]).unwrap();
        drop(audit);
        check(&folder, &[]);
        drop(clone);
        check(&folder, &[Kind::End]);
    }

    #[test]
    fn what_could_not_be_written_waits_on() {
        let folder = tempfile::tempdir().unwrap();
        let audit = audit_in(&folder);
        audit.append(&[entry(Kind::Note)]).unwrap();
        audit.append_soon(&[entry(Kind::Request)]).unwrap();
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        connection.execute_batch("ALTER TABLE audit_head RENAME TO elsewhere").unwrap();
        audit.append(&[entry(Kind::Start)]).unwrap_err();
        audit.settle().unwrap_err();
        connection.execute_batch("ALTER TABLE elsewhere RENAME TO audit_head").unwrap();
        audit.append(&[entry(Kind::End)]).unwrap();
        check(&folder, &[Kind::Note, Kind::Request, Kind::End]);
    }

    #[test]
    fn not_many_are_kept_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let audit = audit_in(&folder);
        for _ in 0..=MOST {
            audit.append_soon(&[entry(Kind::Note)]).unwrap();
        }
        check(&folder, &[Kind::Note; MOST + 1]);
    }
}
