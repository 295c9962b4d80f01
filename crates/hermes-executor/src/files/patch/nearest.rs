//! The place of a file that a text, which is not in it, most likely meant.

use std::collections::HashSet;

use super::lines::{Line, split};

/// Lines that are compared; a hint is not worth more.
const MOST_COMPARED: usize = 20_000;
const LOWEST_LIKENESS: f64 = 0.5;
/// Lines shown around the place.
const AROUND: usize = 2;
const MOST_SHOWN: usize = 40;
const LONGEST_SHOWN: usize = 200;
/// Characters of a line that are compared.
const LONGEST_COMPARED: usize = 300;

/// Numbered lines around the place that is most like `old`, if any is.
pub(super) fn nearest(file: &[u8], old: &str, is_cancelled: impl Fn() -> bool) -> Option<String> {
    let lines = split(file);
    let old = split(old.as_bytes());
    let first = by_equal_lines(&lines, &old).or_else(|| by_likeness(&lines, &old, is_cancelled))?;
    Some(numbered(&lines, first, old.len()))
}

/// Where most lines of the old text are, in a stretch of its length.
fn by_equal_lines(lines: &[Line<'_>], old: &[Line<'_>]) -> Option<usize> {
    // A closing brace is everywhere and tells nothing.
    let wanted: HashSet<&str> = old.iter().map(|line| line.text.trim()).filter(|line| line.len() > 3).collect();
    let is_wanted = |line: &Line<'_>| wanted.contains(line.text.trim());
    let mut here = 0;
    let mut best = (0, 0);
    for (index, line) in lines.iter().enumerate() {
        here += usize::from(is_wanted(line));
        let left = index.checked_sub(old.len()).and_then(|left| lines.get(left));
        here -= usize::from(left.is_some_and(is_wanted));
        if here > best.0 {
            best = (here, (index + 1).saturating_sub(old.len()));
        }
    }
    (best.0 > 0).then_some(best.1)
}

/// Where the longest line of the old text is most alike.
fn by_likeness(lines: &[Line<'_>], old: &[Line<'_>], is_cancelled: impl Fn() -> bool) -> Option<usize> {
    let shortened = |line: &Line<'_>| line.text.trim().chars().take(LONGEST_COMPARED).collect::<String>();
    let (place, wanted) = old.iter().map(shortened).enumerate().max_by_key(|(_, line)| line.len())?;
    if wanted.is_empty() {
        return None;
    }
    let likeness = |line: &Line<'_>| strsim::sorensen_dice(&shortened(line), &wanted);
    let (best, index) = lines
        .iter()
        .take(MOST_COMPARED)
        .take_while(|_| !is_cancelled())
        .map(likeness)
        .zip(0..)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best >= LOWEST_LIKENESS).then(|| usize::saturating_sub(index, place))
}

fn numbered(lines: &[Line<'_>], first: usize, count: usize) -> String {
    let start = first.saturating_sub(AROUND);
    let count = count.saturating_add(first - start + AROUND).min(MOST_SHOWN);
    let line = |(index, line): (usize, &Line<'_>)| {
        let text: String = line.text.chars().take(LONGEST_SHOWN).collect();
        let more = if line.text.chars().nth(LONGEST_SHOWN).is_some() { "…" } else { "" };
        format!("{}: {text}{more}\n", index + 1)
    };
    lines.iter().enumerate().skip(start).take(count).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_place_is_shown_with_its_line_numbers() {
        let file: String = (1..=30).map(|number| format!("let value_{number} = {number};\n")).collect();
        let check = |old: &str, expected: Option<&str>| {
            assert_eq!(nearest(file.as_bytes(), old, || false).as_deref(), expected, "{old}");
        };
        check(
            "let value_10 = 10;\nlet other = 11;\nlet value_12 = 12;\n",
            Some(
                "8: let value_8 = 8;\n9: let value_9 = 9;\n10: let value_10 = 10;\n11: let value_11 = 11;\n\
                 12: let value_12 = 12;\n13: let value_13 = 13;\n14: let value_14 = 14;\n",
            ),
        );
        check("let valu_1 = 1\n", Some("1: let value_1 = 1;\n2: let value_2 = 2;\n3: let value_3 = 3;\n"));
        check("something else entirely", None);
        check("\n\n", None);
        assert_eq!(nearest(b"", "x", || false), None);
    }
}
