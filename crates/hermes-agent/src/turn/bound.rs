//! Keeps what tools say from filling the model's view.
//!
//! A tool bounds its own output; this is for the one that does not, and for twenty that each said a little too much.

use serde_json::Value;

/// Characters of one result.
const LARGEST: usize = 100_000;
/// Characters of all results of one answer together.
const LARGEST_ROUND: usize = 200_000;
/// Characters that make about one token.
const CHARACTERS_PER_TOKEN: u64 = 4;

/// A result as the model is told it.
pub(super) fn text_of(content: Value) -> String {
    match content {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Shortens results so that none is too long, nor all of them together: the longest give way first. A model that sees
/// little gets at most half of what it sees.
pub(super) fn bound(texts: &mut [String], context_length: u64) {
    let half = usize::try_from(context_length.saturating_mul(CHARACTERS_PER_TOKEN) / 2).unwrap_or(usize::MAX);
    let budget = LARGEST_ROUND.min(half);
    let lengths: Vec<usize> = texts.iter().map(|text| text.chars().count()).collect();
    let limit = fair_limit(&lengths, budget).min(LARGEST);
    for text in texts {
        shorten(text, limit);
    }
}

/// The largest limit for each with which all stay within the budget.
fn fair_limit(lengths: &[usize], budget: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = budget;
    for (index, length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

/// Cuts the middle out of a text that is longer than `limit` characters, and says so.
pub(crate) fn shorten(text: &mut String, limit: usize) {
    let length = text.chars().count();
    if length <= limit {
        return;
    }
    let head = limit * 3 / 5;
    let tail = limit - head;
    let at = |index: usize| text.char_indices().nth(index).map_or(text.len(), |(position, _)| position);
    let (end, start) = (at(head), at(length - tail));
    let left_out = length - head - tail;
    *text = format!("{}\n\n[… {left_out} of {length} characters left out …]\n\n{}", &text[..end], &text[start..]);
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, LARGEST_ROUND, bound, shorten};
    use proptest::prelude::*;

    #[test]
    fn head_and_tail_stay_and_the_cut_is_said() {
        let mut text = format!("{}{}{}", "ä".repeat(60), "x".repeat(500), "ö".repeat(40));
        shorten(&mut text, 100);
        let expected = format!("{}\n\n[… 500 of 600 characters left out …]\n\n{}", "ä".repeat(60), "ö".repeat(40));
        assert_eq!(text, expected);
        shorten(&mut text, 1_000);
        assert_eq!(text, expected);
    }

    #[test]
    fn long_results_give_way_to_short_ones() {
        let mut texts = vec!["s".repeat(1_000), "l".repeat(150_000), "m".repeat(90_000), "h".repeat(300_000)];
        bound(&mut texts, 1_000_000);
        assert_eq!(texts[0].len(), 1_000);
        let total: usize = texts.iter().map(|text| text.chars().count()).sum();
        assert!(total < LARGEST_ROUND + 500, "{total}");
        let mut alone = vec!["x".repeat(LARGEST + 1)];
        bound(&mut alone, 1_000_000);
        assert!(alone[0].contains("[… 1 of 100001 characters left out …]"));
        let mut small = vec!["x".repeat(100_000)];
        bound(&mut small, 8_000);
        assert!(small[0].chars().count() < 16_100);
    }

    proptest! {
        #[test]
        fn nothing_grows_past_the_bound(lengths in prop::collection::vec(0_usize..5_000, 0..30), context in 1_u64..20_000) {
            let mut texts: Vec<String> = lengths.iter().map(|length| "x".repeat(*length)).collect();
            bound(&mut texts, context);
            let total: usize = texts.iter().map(|text| text.chars().count()).sum();
            prop_assert!(total <= usize::try_from(context).unwrap() * 2 + lengths.len() * 80);
        }
    }
}
