//! Reading entries back. A chain that was tampered with can still be read: what does not fit is shown as nothing.

use rusqlite::types::ValueRef;
use rusqlite::{Row, Transaction};
use serde_json::Value as Json;

use super::{Audit, Recorded, RequestId, Sequence};
use crate::StoreError;

pub(super) const SELECT: &str = "SELECT sequence, format, time, kind, request, session, who, surface, place, subject,
    subject_length, verdict, rule, outcome, detail, previous, hash FROM audit";

/// Which entries are wanted, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Only entries behind this one: where the page before ended.
    pub after: Sequence,
    pub limit: usize,
    pub session: Option<String>,
    pub request: Option<RequestId>,
}

impl Filter {
    /// The first entries of the chain, at most this many.
    pub fn first(limit: usize) -> Self {
        Self { after: Sequence(i64::MIN), limit, session: None, request: None }
    }
}

impl Audit {
    /// The newest entries, the oldest of them first.
    pub fn tail(&self, count: usize) -> Result<Vec<Recorded>, StoreError> {
        let mut entries = self.store.read("read the audit chain", Vec::new(), |transaction| {
            let query = format!("{SELECT} ORDER BY sequence DESC LIMIT ?1");
            collect(transaction, &query, (limit(count),))
        })?;
        entries.reverse();
        Ok(entries)
    }

    /// One page of entries.
    pub fn entries(&self, filter: &Filter) -> Result<Vec<Recorded>, StoreError> {
        self.store.read("read the audit chain", Vec::new(), |transaction| {
            let query = format!(
                "{SELECT} WHERE sequence > ?1 AND (?3 IS NULL OR session = ?3) AND (?4 IS NULL OR request = ?4)
                 ORDER BY sequence LIMIT ?2"
            );
            let request = filter.request.as_ref().map(RequestId::as_str);
            collect(transaction, &query, (filter.after.0, limit(filter.limit), &filter.session, request))
        })
    }

    /// The entry at this position.
    pub fn entry(&self, sequence: Sequence) -> Result<Option<Recorded>, StoreError> {
        let found = self.store.read("read the audit chain", Vec::new(), |transaction| {
            collect(transaction, &format!("{SELECT} WHERE sequence = ?1"), (sequence.0,))
        })?;
        Ok(found.into_iter().next())
    }

    /// All entries of the command whose id this is, or the only one that starts like this.
    pub fn request(&self, id: &RequestId) -> Result<Vec<Recorded>, StoreError> {
        self.store.read("read the audit chain", Vec::new(), |transaction| {
            let query = format!(
                "{SELECT} WHERE request = (SELECT min(request) FROM audit WHERE request >= ?1 AND request < ?1 || '~'
                 HAVING min(request) = max(request)) ORDER BY sequence"
            );
            collect(transaction, &query, (id.as_str(),))
        })
    }
}

fn limit(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn collect(
    transaction: &Transaction<'_>,
    query: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Recorded>> {
    transaction.prepare_cached(query)?.query_map(parameters, recorded)?.collect()
}

pub(super) fn recorded(row: &Row<'_>) -> rusqlite::Result<Recorded> {
    Ok(Recorded {
        sequence: Sequence(row.get(0)?),
        time: row.get(2)?,
        kind: text(row, 3)?.unwrap_or_default(),
        request: RequestId::from(text(row, 4)?.unwrap_or_default()),
        session: text(row, 5)?,
        who: text(row, 6)?,
        surface: text(row, 7)?,
        place: text(row, 8)?,
        subject: text(row, 9)?,
        subject_length: row.get(10)?,
        verdict: text(row, 11)?,
        rule: text(row, 12)?,
        outcome: text(row, 13)?,
        detail: text(row, 14)?.map(|text| serde_json::from_str(&text).unwrap_or(Json::String(text))),
        previous: row.get(15)?,
        hash: row.get(16)?,
    })
}

/// A text that is no UTF-8 is one that we did not write, and may be looked at all the same.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}
