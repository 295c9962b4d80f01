//! Lines of a job's buffer.

/// Lines when none are asked for.
pub(super) const DEFAULT_LINES: usize = 200;

/// Lines from `offset`, or the last ones.
pub(super) fn lines(text: &str, offset: Option<usize>, wanted: usize) -> String {
    let wanted = if wanted == 0 { DEFAULT_LINES } else { wanted };
    let all: Vec<_> = text.lines().collect();
    let from = offset.unwrap_or_else(|| all.len().saturating_sub(wanted)).min(all.len());
    let to = from.saturating_add(wanted).min(all.len());
    all.get(from..to).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_are_counted_from_either_end() {
        let check = |offset: Option<usize>, wanted: usize, expected: &str| {
            assert_eq!(lines("a\nb\nc\nd", offset, wanted), expected, "{offset:?} {wanted}");
        };
        check(None, 2, "c\nd");
        check(None, 0, "a\nb\nc\nd");
        check(Some(1), 2, "b\nc");
        check(Some(3), 9, "d");
        check(Some(9), 9, "");
        check(Some(0), usize::MAX, "a\nb\nc\nd");
    }
}
