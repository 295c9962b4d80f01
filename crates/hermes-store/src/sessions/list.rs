//! Listing sessions, the one used last first.

use super::session::COLUMNS;
use super::{Session, Sessions};
use crate::StoreError;

/// Which sessions are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub source: Option<String>,
    pub limit: usize,
    /// How many are passed over first.
    pub offset: usize,
}

impl Listing {
    /// The newest sessions of every source.
    pub fn newest(limit: usize) -> Self {
        Self { source: None, limit, offset: 0 }
    }
}

impl Sessions {
    pub fn list(&self, listing: &Listing) -> Result<Vec<Session>, StoreError> {
        let bounded = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        self.store.read("list sessions", Vec::new(), |transaction| {
            let query = format!(
                "SELECT {COLUMNS} FROM sessions s WHERE ?1 IS NULL OR s.source = ?1
                 ORDER BY s.updated DESC, s.id DESC LIMIT ?2 OFFSET ?3"
            );
            let parameters = (&listing.source, bounded(listing.limit), bounded(listing.offset));
            transaction.prepare_cached(&query)?.query_map(parameters, Session::from_row)?.collect()
        })
    }
}
