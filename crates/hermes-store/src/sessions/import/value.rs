//! Values of a database that was written without types.

use jiff::Timestamp;
use rusqlite::types::ValueRef;

use crate::Time;

/// Any value as text; `None` for nothing.
pub(super) fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

/// The same, with nothing for an empty text.
pub(super) fn some_text(value: ValueRef<'_>) -> Option<String> {
    text(value).filter(|text| !text.trim().is_empty())
}

/// Seconds since 1970, or a date.
pub(super) fn time(value: ValueRef<'_>) -> Option<Time> {
    let seconds = match value {
        ValueRef::Integer(seconds) => seconds as f64,
        ValueRef::Real(seconds) => seconds,
        other => {
            let text = text(other)?;
            match text.trim().parse::<f64>() {
                Ok(seconds) => seconds,
                Err(_) => {
                    return text
                        .trim()
                        .parse::<Timestamp>()
                        .ok()
                        .map(|time| Time::from_microseconds(time.as_microsecond()));
                }
            }
        }
    };
    // Beyond the year 9999 it is no moment.
    (seconds.is_finite() && seconds.abs() < 2.5e11).then(|| Time::from_microseconds((seconds * 1e6).round() as i64))
}

/// A count; nothing and nonsense are zero.
pub(super) fn count(value: ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Integer(number) => u64::try_from(number).unwrap_or_default(),
        ValueRef::Real(number) if number >= 1.0 => number as u64,
        other => text(other).and_then(|text| text.trim().parse().ok()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_type_are_understood() {
        assert_eq!(time(ValueRef::Real(1.5)), Some(Time::from_microseconds(1_500_000)));
        assert_eq!(time(ValueRef::Text(b"2")), Some(Time::from_microseconds(2_000_000)));
        assert_eq!(time(ValueRef::Text(b"1970-01-01T00:00:01Z")), Some(Time::from_microseconds(1_000_000)));
        for nonsense in [ValueRef::Null, ValueRef::Text(b"soon"), ValueRef::Real(f64::NAN), ValueRef::Real(1e300)] {
            assert_eq!(time(nonsense), None);
        }
        assert_eq!(count(ValueRef::Integer(-1)), 0);
        assert_eq!((count(ValueRef::Text(b" 7")), count(ValueRef::Real(3.9)), count(ValueRef::Null)), (7, 3, 0));
        assert_eq!(text(ValueRef::Blob(&[0xff, b'a'])).as_deref(), Some("\u{fffd}a"));
    }
}
