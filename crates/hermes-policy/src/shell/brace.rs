//! Brace expansion of one raw word, bounded.
//!
//! Hazard: `{1..9999999}` and `{a,b}{a,b}{a,b}…` are short texts for very many
//! words. Past the bound the word is reported as too wide, not cut.

use super::limits::BRACES;
use super::quote::closing;

/// How many numbers of a sequence are looked at.
const SEQUENCE: u64 = 99;

/// The raw words that a raw word stands for, or nothing if they are too many.
pub(super) fn expand(word: &str) -> Option<Vec<String>> {
    if !word.contains('{') {
        return Some(vec![word.to_owned()]);
    }
    let mut finished = Vec::new();
    let mut waiting = vec![(String::new(), word.to_owned())];
    // The work is bounded, and so is the text: a word that multiplies is long each time.
    let mut work = 0;
    while let Some((before, rest)) = waiting.pop() {
        work += before.len() + rest.len() + 1;
        if finished.len() + waiting.len() > BRACES || work > BRACES * 256 + word.len() * 4 {
            return None;
        }
        match first_group(&rest) {
            None => finished.push(before + &rest),
            Some(group) => {
                let (head, tail) = (&rest[..group.open], &rest[group.close + 1..]);
                if group.members.len() > BRACES {
                    return None;
                }
                for member in group.members.iter().rev() {
                    waiting.push((format!("{before}{head}"), format!("{member}{tail}")));
                }
            }
        }
    }
    Some(finished)
}

struct Group {
    open: usize,
    close: usize,
    members: Vec<String>,
}

/// The first real brace expression outside quotes and `${…}`.
fn first_group(text: &str) -> Option<Group> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            quote @ (b'\'' | b'"' | b'`') => at = closing(text, at + 1, quote).unwrap_or(bytes.len()),
            b'$' if matches!(bytes.get(at + 1), Some(b'{')) => at = closing(text, at + 2, b'}')?,
            b'$' if matches!(bytes.get(at + 1), Some(b'(')) => at = closing(text, at + 2, b')')?,
            b'{' => {
                if let Some(group) = group_at(text, at) {
                    return Some(group);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn group_at(text: &str, open: usize) -> Option<Group> {
    let bytes = text.as_bytes();
    let (mut depth, mut at, mut cuts) = (0_usize, open + 1, vec![open]);
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            quote @ (b'\'' | b'"' | b'`') => at = closing(text, at + 1, *quote)?,
            b'$' if matches!(bytes.get(at + 1), Some(b'{')) => at = closing(text, at + 2, b'}')?,
            b'$' if matches!(bytes.get(at + 1), Some(b'(')) => at = closing(text, at + 2, b')')?,
            b'{' => depth += 1,
            b'}' if depth == 0 => break,
            b'}' => depth -= 1,
            b',' if depth == 0 => cuts.push(at),
            _ => {}
        }
        at += 1;
    }
    if cuts.len() == 1 {
        let members = sequence(&text[open + 1..at])?;
        return Some(Group { open, close: at, members });
    }
    let ends = cuts[1..].iter().copied().chain([at]);
    let members = cuts.iter().zip(ends).map(|(from, to)| text[from + 1..to].to_owned()).collect();
    Some(Group { open, close: at, members })
}

/// `1..5`, `a..e`, `1..9..2`.
fn sequence(text: &str) -> Option<Vec<String>> {
    let mut parts = text.split("..");
    let (from, to) = (parts.next()?, parts.next()?);
    let step = match parts.next() {
        None => 1,
        Some(step) => step.parse::<i64>().ok()?.unsigned_abs().max(1),
    };
    if parts.next().is_some() {
        return None;
    }
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        return Some(numbers(from, to, step).map(|number| number.to_string()).collect());
    }
    let (from, to) = (single(from)?, single(to)?);
    Some(
        numbers(from.into(), to.into(), step)
            .filter_map(|code| Some(char::from(u8::try_from(code).ok()?).into()))
            .collect(),
    )
}

fn single(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    }
}

/// The numbers of a sequence. Of a long one only the first: no rule asks about the rest.
fn numbers(from: i64, to: i64, step: u64) -> impl Iterator<Item = i64> {
    let count = (from.abs_diff(to) / step).min(SEQUENCE);
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    (0..=count).map(move |index| {
        let distance = i64::try_from(index).unwrap_or(i64::MAX).saturating_mul(step);
        if from <= to { from.saturating_add(distance) } else { from.saturating_sub(distance) }
    })
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn words_as_bash_makes_them() {
        for (word, expected) in [
            ("plain", "plain"),
            ("{rm,-rf,/}", "rm -rf /"),
            ("a{b,c{d,e}}f", "abf acdf acef"),
            ("{1..3}x", "1x 2x 3x"),
            ("{c..a}", "c b a"),
            ("{a}", "{a}"),
            ("{,x}", " x"),
            ("'{a,b}'", "'{a,b}'"),
            ("${a,b}", "${a,b}"),
            ("{a,'b,c'}", "a 'b,c'"),
            ("x{}y", "x{}y"),
            ("{a,b", "{a,b"),
        ] {
            assert_eq!(expand(word).map(|words| words.join(" ")).as_deref(), Some(expected), "{word}");
        }
    }

    #[test]
    fn too_many_words_are_said_to_be() {
        for word in ["{a,b}".repeat(40), "{1..50}{1..50}".to_owned()] {
            assert_eq!(expand(&word), None, "{word}");
        }
    }

    #[test]
    fn a_long_sequence_is_cut() {
        for word in ["{1..9999999999}", "{0..-9223372036854775807}", "{1..9223372036854775807..9223372036854775807}"] {
            assert!(expand(word).is_some_and(|words| words.len() <= 100), "{word}");
        }
    }
}
