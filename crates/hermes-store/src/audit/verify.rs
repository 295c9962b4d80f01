//! Checking the chain from its first entry to its head, and naming the first thing that is wrong.

use std::fmt;

use hermes_proto::Explain;
use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension as _, Row, Transaction};

use super::chain::{FORMAT, Hasher};
use super::read::SELECT;
use super::{Audit, Hash, Sequence};
use crate::StoreError;

const WHAT: &str = "verify the audit chain";
/// Positions that a wrong entry is tried at: this bounds the time that a forged head can cost.
const FARTHEST_MOVE: i64 = 1_000_000;
/// Where the columns of [`SELECT`] stand.
const FORMAT_COLUMN: usize = 1;
const PREVIOUS_COLUMN: usize = 15;
const HASH_COLUMN: usize = 16;

/// A chain in which nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    pub count: i64,
    /// The last entry's; of an empty chain the one that its first entry will follow.
    pub last: Hash,
}

/// The first thing that is wrong, and the entry it is wrong with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub sequence: Sequence,
    pub how: Break,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Break {
    /// Its content does not have its hash.
    Changed,
    /// It was written as another entry.
    Moved { from: Sequence },
    /// It is whole, but follows another entry than the one that stands before it.
    DoesNotFollow,
    /// It is not there, but later ones are.
    Missing,
    /// It and all after it are gone from the end.
    CutOff,
    /// It was put there without the chain's head being told.
    Added,
    /// It was put before the first entry.
    BeforeTheFirst,
    /// Its encoding is none that this version knows.
    UnknownFormat(i64),
    /// The head has another hash than this last entry.
    HeadDiffers,
    /// There are entries, but no head.
    HeadMissing,
    /// The chain verifies, but the hash that it was to contain is not in it.
    Replaced,
}

/// A chain that did not verify.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("the audit chain is broken at entry {}: {}", .0.sequence, .0.how)]
    Broken(Broken),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Audit {
    /// Checks every entry, in memory that does not grow with them.
    pub fn verify(&self) -> Result<Verified, VerifyError> {
        self.walk(None)
    }

    /// The same, and that an entry with this hash, which was noted elsewhere, is still there.
    pub fn verify_containing(&self, noted: &Hash) -> Result<Verified, VerifyError> {
        self.walk(Some(noted))
    }

    fn walk(&self, noted: Option<&Hash>) -> Result<Verified, VerifyError> {
        let nothing = Walk { count: 0, last: Hash::before_the_first(), noted }.end(None);
        let walked = self.store.read(WHAT, nothing, |transaction| verify(transaction, noted))?;
        walked.map_err(VerifyError::Broken)
    }
}

/// What has been checked so far.
struct Walk<'n> {
    count: i64,
    last: Hash,
    noted: Option<&'n Hash>,
}

fn verify(transaction: &Transaction<'_>, noted: Option<&Hash>) -> rusqlite::Result<Result<Verified, Broken>> {
    let mut walk = Walk { count: 0, last: Hash::before_the_first(), noted };
    let head = head(transaction)?;
    let mut statement = transaction.prepare(&format!("{SELECT} ORDER BY sequence"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Err(broken) = walk.step(row, head.as_ref().map(|(count, _)| *count))? {
            return Ok(Err(broken));
        }
    }
    Ok(walk.end(head))
}

fn head(transaction: &Transaction<'_>) -> rusqlite::Result<Option<(i64, Vec<u8>)>> {
    let query = "SELECT count, last FROM audit_head WHERE id = 1";
    transaction.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

impl Walk<'_> {
    fn step(&mut self, row: &Row<'_>, head: Option<i64>) -> rusqlite::Result<Result<(), Broken>> {
        let (found, expected) = (row.get::<_, i64>(0)?, self.count + 1);
        let broken = |sequence, how| Ok(Err(Broken { sequence: Sequence(sequence), how }));
        if found < expected {
            return broken(found, Break::BeforeTheFirst);
        }
        if found > expected {
            return broken(expected, Break::Missing);
        }
        let format = row.get(FORMAT_COLUMN)?;
        if format != FORMAT {
            return broken(found, Break::UnknownFormat(format));
        }
        let stored = row.get_ref(HASH_COLUMN)?;
        let hash = hash(row, found)?;
        if stored != ValueRef::Blob(hash.as_bytes()) {
            return broken(found, self.changed_or_moved(row, head)?);
        }
        if row.get_ref(PREVIOUS_COLUMN)? != ValueRef::Blob(self.last.as_bytes()) {
            return broken(found, Break::DoesNotFollow);
        }
        if self.noted == Some(&hash) {
            self.noted = None;
        }
        (self.count, self.last) = (found, hash);
        Ok(Ok(()))
    }

    /// An entry that fits its hash at another position was moved from there.
    fn changed_or_moved(&self, row: &Row<'_>, head: Option<i64>) -> rusqlite::Result<Break> {
        for position in 1..=head.unwrap_or_default().min(FARTHEST_MOVE) {
            if row.get_ref(HASH_COLUMN)? == ValueRef::Blob(hash(row, position)?.as_bytes()) {
                return Ok(Break::Moved { from: Sequence(position) });
            }
        }
        Ok(Break::Changed)
    }

    fn end(self, head: Option<(i64, Vec<u8>)>) -> Result<Verified, Broken> {
        let Self { count, last, noted } = self;
        let broken = |sequence, how| Err(Broken { sequence: Sequence(sequence), how });
        match head {
            None if count == 0 => {}
            None => return broken(count, Break::HeadMissing),
            Some((head, _)) if head > count => return broken(count + 1, Break::CutOff),
            Some((head, _)) if head < count => return broken(head.max(0) + 1, Break::Added),
            Some((_, hash)) if hash != last.as_bytes() => return broken(count, Break::HeadDiffers),
            Some(_) => {}
        }
        match noted {
            Some(hash) if *hash != Hash::before_the_first() => broken(count, Break::Replaced),
            _ => Ok(Verified { count, last }),
        }
    }
}

/// The row's hash if it stood at this position.
fn hash(row: &Row<'_>, position: i64) -> rusqlite::Result<Hash> {
    let mut hasher = Hasher::new();
    hasher.value(ValueRef::Integer(position));
    for column in FORMAT_COLUMN..=PREVIOUS_COLUMN {
        hasher.value(row.get_ref(column)?);
    }
    Ok(hasher.finish())
}

impl fmt::Display for Break {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => formatter.write_str("its content was changed"),
            Self::Moved { from } => write!(formatter, "what stands there was written as entry {from}"),
            Self::DoesNotFollow => formatter.write_str("it does not follow the entry before it"),
            Self::Missing => formatter.write_str("it is missing, later entries are there"),
            Self::CutOff => formatter.write_str("it is missing, the chain was cut off before it"),
            Self::Added => formatter.write_str("it was added past the chain's head"),
            Self::BeforeTheFirst => formatter.write_str("it was put before the first entry"),
            Self::UnknownFormat(format) => write!(formatter, "its format {format} is unknown to this version"),
            Self::HeadDiffers => {
                formatter.write_str("the chain's head was changed, or it was replaced by another entry")
            }
            Self::HeadMissing => formatter.write_str("the chain's head is missing"),
            Self::Replaced => formatter.write_str("the hash that was noted is not in the chain up to there"),
        }
    }
}

impl Explain for VerifyError {
    fn fault(&self) -> hermes_proto::Fault {
        match self {
            Self::Broken(_) => hermes_proto::Fault::Failed,
            Self::Store(error) => error.fault(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Broken(_) => Some("keep a copy of the file; hermes audit export shows what it holds now".to_owned()),
            Self::Store(error) => error.hint(),
        }
    }
}
