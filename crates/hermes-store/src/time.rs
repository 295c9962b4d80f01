//! Moments, as the store keeps them: microseconds since 1970 in UTC, one integer.

use std::fmt;

use jiff::Timestamp;
use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlResult, ToSqlOutput, ValueRef};
use serde::{Serialize, Serializer};

/// A moment. Written and read by people as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(i64);

impl Time {
    pub fn now() -> Self {
        Self(Timestamp::now().as_microsecond())
    }

    pub const fn from_microseconds(microseconds: i64) -> Self {
        Self(microseconds)
    }

    pub fn microseconds(self) -> i64 {
        self.0
    }

    /// The moment this many days before.
    pub fn days_before(self, days: u32) -> Self {
        Self(self.0.saturating_sub(i64::from(days) * 86_400_000_000))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_microsecond(self.0) {
            Ok(time) => write!(formatter, "{time:.6}"),
            // Only in a file that somebody tampered with.
            Err(_) => write!(formatter, "{} µs", self.0),
        }
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl ToSql for Time {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for Time {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn a_moment_is_shown_as_rfc_3339() {
        assert_eq!(Time::from_microseconds(0).to_string(), "1970-01-01T00:00:00.000000Z");
        assert_eq!(Time::from_microseconds(1_767_225_600_000_001).to_string(), "2026-01-01T00:00:00.000001Z");
        assert_eq!(Time::from_microseconds(i64::MAX).to_string(), format!("{} µs", i64::MAX));
        assert_eq!(Time::from_microseconds(86_400_000_000).days_before(1), Time::from_microseconds(0));
    }
}
