//! Listing sessions, the one used last first.

use super::session::COLUMNS;
use super::{Session, Sessions};
use crate::StoreError;

/// Which sessions are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub source: Option<String>,
    /// Only conversations whose key is this, or begins with it.
    pub keys: Keys,
    /// Whether those that were ended are listed, and those that were not.
    pub ended: Option<bool>,
    pub limit: usize,
    /// How many are passed over first.
    pub offset: usize,
}

/// Conversations by their key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Keys {
    All,
    Exactly(String),
    BeginningWith(String),
}

impl Listing {
    /// The newest sessions of every source.
    pub fn newest(limit: usize) -> Self {
        Self { source: None, keys: Keys::All, ended: None, limit, offset: 0 }
    }
}

impl Sessions {
    pub fn list(&self, listing: &Listing) -> Result<Vec<Session>, StoreError> {
        let bounded = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let (exactly, beginning) = match &listing.keys {
            Keys::All => (None, None),
            Keys::Exactly(key) => (Some(key), None),
            Keys::BeginningWith(start) => (None, Some(start)),
        };
        self.store.read("list sessions", Vec::new(), |transaction| {
            let query = format!(
                "SELECT {COLUMNS} FROM sessions s WHERE (?1 IS NULL OR s.source = ?1)
                 AND (?4 IS NULL OR s.session_key = ?4)
                 AND (?5 IS NULL OR substr(s.session_key, 1, length(?5)) = ?5)
                 AND (?6 IS NULL OR (s.ended IS NOT NULL) = ?6)
                 ORDER BY s.updated DESC, s.id DESC LIMIT ?2 OFFSET ?3"
            );
            let parameters =
                (&listing.source, bounded(listing.limit), bounded(listing.offset), exactly, beginning, listing.ended);
            transaction.prepare_cached(&query)?.query_map(parameters, Session::from_row)?.collect()
        })
    }
}
