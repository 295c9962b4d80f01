//! What a hash covers: every column of its entry and the hash of the entry before.
//!
//! Each value is written as its type, its length and its bytes, so no two different rows give the same bytes: not by moving
//! text from one column to the next, not by turning nothing into an empty text. The encoding never changes; a new
//! one gets another number in the column `format`.

use std::fmt;

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The only encoding so far.
pub(super) const FORMAT: i64 = 1;
/// Says what is hashed, so that a hash made for something else never fits.
const PURPOSE: &[u8] = b"hermes audit entry";

/// A SHA-256. In a file that was tampered with it may have another length.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Hash(Vec<u8>);

impl Hash {
    /// What the first entry follows.
    pub(super) fn before_the_first() -> Self {
        Self(vec![0; 32])
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().as_bytes();
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let sound = digits.len() == 64 && digits.iter().all(u8::is_ascii_hexdigit);
        sound.then(|| digits.chunks(2).map(pair).collect::<Option<Vec<u8>>>().map(Self)).flatten()
    }
}

/// Gathers the columns of one entry, in the table's order, without its own hash.
pub(super) struct Hasher(Sha256);

impl Hasher {
    pub(super) fn new() -> Self {
        let mut hasher = Self(Sha256::new());
        hasher.bytes(b'p', PURPOSE);
        hasher
    }

    pub(super) fn value(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.bytes(b'n', &[]),
            ValueRef::Integer(number) => self.bytes(b'i', &number.to_le_bytes()),
            ValueRef::Real(number) => self.bytes(b'r', &number.to_bits().to_le_bytes()),
            ValueRef::Text(text) => self.bytes(b't', text),
            ValueRef::Blob(bytes) => self.bytes(b'b', bytes),
        }
    }

    pub(super) fn finish(self) -> Hash {
        Hash(self.0.finalize().to_vec())
    }

    fn bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.0.update([kind]);
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Hash({self})")
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl ToSql for Hash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Blob(&self.0)))
    }
}

impl FromSql for Hash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_blob().map(|bytes| Self(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(values: &[ValueRef<'_>]) -> Hash {
        let mut hasher = Hasher::new();
        values.iter().for_each(|value| hasher.value(*value));
        hasher.finish()
    }

    /// The encoding is written into files: if this changes, no existing chain verifies any more.
    #[test]
    fn the_encoding_stays() {
        let values = [ValueRef::Integer(1), ValueRef::Null, ValueRef::Text(b"ls"), ValueRef::Blob(&[0])];
        assert_eq!(hash(&values).to_string(), "6814bcc7cf4f75e05ae604e5c6ad34c6e7554d3acc9b51408fe1add186251aaa");
    }

    #[test]
    fn different_rows_never_have_the_same_bytes() {
        let rows: &[&[ValueRef<'_>]] = &[
            &[ValueRef::Text(b"ab"), ValueRef::Text(b"c")],
            &[ValueRef::Text(b"a"), ValueRef::Text(b"bc")],
            &[ValueRef::Text(b"abc"), ValueRef::Text(b"")],
            &[ValueRef::Text(b"abc"), ValueRef::Null],
            &[ValueRef::Text(b"abc")],
            &[ValueRef::Blob(b"abc")],
            &[ValueRef::Integer(1)],
            &[ValueRef::Blob(&[1, 0, 0, 0, 0, 0, 0, 0])],
        ];
        let hashes: std::collections::HashSet<_> = rows.iter().map(|row| hash(row)).collect();
        assert_eq!(hashes.len(), rows.len());
    }

    #[test]
    fn a_hash_is_read_as_it_is_shown() {
        let shown = hash(&[]).to_string();
        assert_eq!(Hash::parse(&format!(" {shown}\n")), Some(hash(&[])));
        for wrong in ["", "00", &shown[1..], &format!("{}+1", &shown[2..]), &"é".repeat(32)] {
            assert_eq!(Hash::parse(wrong), None, "{wrong}");
        }
    }
}
