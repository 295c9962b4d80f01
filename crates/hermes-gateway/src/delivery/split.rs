//! Long texts as several messages, cut where a reader would cut them.

use crate::Unit;

const FENCE: &str = "```";
/// What a cut inside a fence adds: its end here, its beginning there, with the language.
const FENCE_ROOM: usize = 40;

/// The text as pieces of at most this length, at least one.
pub(crate) fn split(text: &str, longest: usize, unit: Unit) -> Vec<String> {
    let mut rest = text.trim_end().to_owned();
    let mut pieces = Vec::new();
    while length(&rest, unit) > longest {
        // A fence must fit beside at least as much text.
        let room = if longest > 2 * FENCE_ROOM && rest.contains(FENCE) { longest - FENCE_ROOM } else { longest };
        let cut = cut(&rest, room, unit);
        let (mut piece, mut after) =
            (rest[..cut].trim_end().to_owned(), rest[cut..].trim_start_matches('\n').to_owned());
        if room < longest
            && let Some(opening) = open_fence(&piece)
        {
            after = format!("{opening}\n{after}");
            piece.push('\n');
            piece.push_str(FENCE);
        }
        pieces.push(piece);
        rest = after;
    }
    if !rest.trim().is_empty() || pieces.is_empty() {
        pieces.push(rest);
    }
    pieces
}

pub(crate) fn length(text: &str, unit: Unit) -> usize {
    match unit {
        Unit::Characters => text.chars().count(),
        Unit::Utf16 => text.encode_utf16().count(),
        Unit::Bytes => text.len(),
    }
}

/// Where to cut: behind a paragraph, a line, a word, or where it must be. Never at 0.
fn cut(text: &str, room: usize, unit: Unit) -> usize {
    let mut used = 0;
    let mut end = 0;
    for (at, character) in text.char_indices() {
        used += match unit {
            Unit::Characters => 1,
            Unit::Utf16 => character.len_utf16(),
            Unit::Bytes => character.len_utf8(),
        };
        if used > room && end > 0 {
            break;
        }
        end = at + character.len_utf8();
    }
    let fitting = &text[..end];
    ["\n\n", "\n", " "]
        .into_iter()
        .find_map(|mark| fitting.rfind(mark).filter(|at| *at > end / 2).map(|at| at + mark.len()))
        .unwrap_or(end)
}

/// The line that opened the fence in which this piece ends, if it ends in one.
fn open_fence(piece: &str) -> Option<&str> {
    let fences: Vec<_> = piece.lines().filter(|line| line.trim_start().starts_with(FENCE)).collect();
    let last = fences.last().filter(|_| fences.len() % 2 == 1)?;
    // A language of any length would not fit.
    Some(if last.len() + FENCE.len() + 2 <= FENCE_ROOM { last } else { FENCE })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Unit, length, split};

    #[test]
    fn cuts_fall_where_a_reader_would_cut() {
        let check = |text: &str, longest, expected: &[&str]| {
            assert_eq!(split(text, longest, Unit::Characters), expected, "{text:?}");
        };
        check("short", 10, &["short"]);
        check("", 10, &[""]);
        check("one two three", 8, &["one two", "three"]);
        check("a first\n\na second", 10, &["a first", "a second"]);
        check("abcdefghij", 4, &["abcd", "efgh", "ij"]);
    }

    #[test]
    fn a_fence_that_is_cut_is_closed_and_opened_again() {
        let code: String = (0..40).map(|line| format!("line {line}\n")).collect();
        let text = format!("see:\n```rust\n{code}```\ndone");
        let pieces = split(&text, 120, Unit::Characters);
        assert!(pieces.len() > 3);
        for piece in &pieces {
            assert!(length(piece, Unit::Characters) <= 120);
            assert_eq!(piece.matches("```").count() % 2, 0, "{piece}");
        }
        assert!(pieces[1].starts_with("```rust\n"));
    }

    #[test]
    fn length_is_counted_as_the_platform_counts() {
        let text = "🦀".repeat(10);
        assert_eq!(split(&text, 10, Unit::Characters).len(), 1);
        assert_eq!(split(&text, 10, Unit::Utf16).len(), 2);
        assert_eq!(split(&text, 10, Unit::Bytes).len(), 5);
    }

    proptest! {
        #[test]
        fn nothing_is_too_long_and_no_word_is_lost(text in "([a-z🦀]{1,12}[ \n]{1,2}|```[a-z]{0,5}\n){0,60}", longest in 4_usize..200) {
            for unit in [Unit::Characters, Unit::Utf16, Unit::Bytes] {
                let pieces = split(&text, longest, unit);
                prop_assert!(pieces.iter().all(|piece| length(piece, unit) <= longest.max(4)));
                let letters = |text: &str| text.chars().filter(|c| *c == '🦀').count();
                prop_assert_eq!(letters(&text), pieces.iter().map(|piece| letters(piece)).sum::<usize>());
            }
        }
    }
}
