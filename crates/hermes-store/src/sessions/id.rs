//! Ids of sessions: `20260115_103000_9f3a1c0b22d4`, the moment in UTC and 48 random bits. They sort by time, a person can tell them
//! apart and type their beginning, and no two machines make the same.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names a session and authorises nothing. Those of the original are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// A new one.
    pub fn new() -> Self {
        let moment = Timestamp::now().to_zoned(TimeZone::UTC);
        let (_, random) = Uuid::now_v7().as_u64_pair();
        Self(format!("{}_{:012x}", moment.strftime("%Y%m%d_%H%M%S"), random & 0xffff_ffff_ffff))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SessionId {
    fn default() -> Self {
        Self::new()
    }
}

impl From<String> for SessionId {
    /// Any text may be asked about; only one that was given out will be found.
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl ToSql for SessionId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for SessionId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        String::column_result(value).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::SessionId;

    #[test]
    fn ids_are_readable_and_differ() {
        let ids: std::collections::HashSet<_> = (0..10_000).map(|_| SessionId::new()).collect();
        assert_eq!(ids.len(), 10_000);
        let id = ids.iter().next().unwrap().as_str();
        let parts: Vec<_> = id.split('_').map(str::len).collect();
        assert_eq!(parts, [8, 6, 12], "{id}");
    }
}
