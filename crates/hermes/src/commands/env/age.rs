//! Ages as people read them.

use std::time::Duration;

const UNITS: [(u64, char); 4] = [(86_400, 'd'), (3600, 'h'), (60, 'm'), (1, 's')];

/// An age in its largest unit, such as `3h`.
pub(super) fn human(age: Duration) -> String {
    let seconds = age.as_secs();
    let unit = UNITS.iter().find(|(length, _)| seconds >= *length);
    unit.map_or_else(|| "0s".to_owned(), |(length, letter)| format!("{}{letter}", seconds / length))
}

#[cfg(test)]
mod tests {
    use super::human;
    use std::time::Duration;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        for (seconds, expected) in [(0, "0s"), (59, "59s"), (60, "1m"), (7199, "1h"), (172_800, "2d")] {
            assert_eq!(human(Duration::from_secs(seconds)), expected);
        }
    }
}
