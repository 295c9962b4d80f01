//! Appending: read the head, chain the new entries to it, write both.
//!
//! All of it happens in one transaction that takes the write lock before it reads: with a read first, two processes could
//! chain to the same entry.

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{ErrorCode, OptionalExtension as _, ToSql, Transaction, params_from_iter};

use super::chain::{FORMAT, Hasher};
use super::clean::{self, Clean, clean};
use super::{Audit, Entry, Hash, LONGEST_FIELD, LONGEST_SUBJECT, Sequence};
use crate::{Store, StoreError};

const INSERT: &str = "INSERT INTO audit (sequence, format, time, kind, request, session, who, surface, place, subject,
    subject_length, verdict, rule, outcome, detail, previous, hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
const HEAD: &str = "SELECT count, last FROM audit_head WHERE id = 1";
const SET_HEAD: &str = "INSERT INTO audit_head (id, count, last) VALUES (1, ?1, ?2)
    ON CONFLICT (id) DO UPDATE SET count = excluded.count, last = excluded.last";

/// The columns between the sequence and the previous hash, in the table's order.
pub(super) type Content = [Value; 14];

impl Audit {
    /// Appends these entries, all or none; they are on disk when this answers.
    pub fn append(&self, entries: &[Entry]) -> Result<Vec<Sequence>, StoreError> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        // Before the transaction: others wait for it.
        self.waiting.write_with(&self.contents(entries))
    }

    /// Appends these entries with the next ones and before them, in the same transaction. They are on disk when that is, when
    /// [`Audit::settle`] answers, or when the last handle of the chain is gone.
    pub fn append_soon(&self, entries: &[Entry]) -> Result<(), StoreError> {
        self.waiting.add(self.contents(entries))
    }

    /// Appends what waits; all is on disk when this answers.
    pub fn settle(&self) -> Result<(), StoreError> {
        self.waiting.write_with(&[]).map(drop)
    }

    fn contents(&self, entries: &[Entry]) -> Vec<Content> {
        entries.iter().map(|entry| self.content(entry)).collect()
    }

    fn content(&self, entry: &Entry) -> Content {
        let subject = entry.subject.as_deref().map(|text| clean(&self.redactor, text, LONGEST_SUBJECT));
        let length = subject.as_ref().map(|subject| i64::try_from(subject.length).unwrap_or(i64::MAX));
        let verdict = entry.verdict.as_ref();
        [
            FORMAT.into(),
            entry.time.microseconds().into(),
            Value::from(entry.kind.as_str().to_owned()),
            Value::from(self.field(Some(entry.request.as_str())).unwrap_or_default()),
            self.field(entry.session.as_deref()).into(),
            self.field(entry.who.as_deref()).into(),
            self.field(entry.surface.as_deref()).into(),
            self.field(entry.place.as_deref()).into(),
            subject.map(|Clean { text, .. }| text.into_owned()).into(),
            length.into(),
            self.field(verdict.map(|verdict| verdict.class.as_str())).into(),
            self.field(verdict.map(|verdict| verdict.rule.as_str())).into(),
            self.field(entry.outcome.as_deref()).into(),
            clean::detail(&self.redactor, &entry.detail).into(),
        ]
    }

    fn field(&self, text: Option<&str>) -> Option<String> {
        text.map(|text| clean(&self.redactor, text, LONGEST_FIELD).text.into_owned())
    }
}

/// Appends in a transaction of its own.
pub(super) fn write(store: &Store, contents: &[Content]) -> Result<Vec<Sequence>, StoreError> {
    let what = "append to the audit chain";
    store.try_write(what, |transaction| {
        append(transaction, contents).map_err(|error| match error.sqlite_error_code() {
            // The position behind the head is taken: one of the two is not as we left it.
            Some(ErrorCode::ConstraintViolation) => StoreError::ChainBroken { path: store.path().to_owned() },
            _ => store.error(what, error),
        })
    })
}

fn append(transaction: &Transaction<'_>, contents: &[Content]) -> rusqlite::Result<Vec<Sequence>> {
    let head = transaction.prepare_cached(HEAD)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (mut sequence, mut last): (i64, Hash) = head.unwrap_or_else(|| (0, Hash::before_the_first()));
    let mut insert = transaction.prepare_cached(INSERT)?;
    let mut sequences = Vec::with_capacity(contents.len());
    for content in contents {
        sequence += 1;
        let hash = hash(sequence, content, &last);
        let first = ToSqlOutput::Owned(Value::Integer(sequence));
        let middle = content.iter().map(|value| ToSqlOutput::Borrowed(ValueRef::from(value)));
        let hashes = [&last, &hash].map(|hash| hash.to_sql()).into_iter().collect::<rusqlite::Result<Vec<_>>>()?;
        insert.execute(params_from_iter(std::iter::once(first).chain(middle).chain(hashes)))?;
        sequences.push(Sequence(sequence));
        last = hash;
    }
    transaction.prepare_cached(SET_HEAD)?.execute((sequence, &last))?;
    Ok(sequences)
}

fn hash(sequence: i64, content: &Content, previous: &Hash) -> Hash {
    let mut hasher = Hasher::new();
    hasher.value(ValueRef::Integer(sequence));
    content.iter().for_each(|value| hasher.value(ValueRef::from(value)));
    hasher.value(ValueRef::Blob(previous.as_bytes()));
    hasher.finish()
}
