//! Shell patterns: `*`, `?` and `[…]`.

/// Whether `*` and `?` stand for a slash too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slash {
    /// Names of files: they do not.
    Apart,
    /// Text of a variable: they do.
    Same,
}

/// Whether a pattern could stand for this text. One point to come back to, so the work is
/// bounded by the product of the lengths.
pub(crate) fn matches(pattern: &str, text: &str, slash: Slash) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let stands = |letter: char| slash == Slash::Same || letter != '/';
    let (mut at, mut from, mut back) = (0, 0, None);
    while from < text.len() {
        match one(&pattern, at, text[from], &stands) {
            One::Star => {
                back = Some((at, from));
                at += 1;
                continue;
            }
            One::Next(next) => {
                (at, from) = (next, from + 1);
                continue;
            }
            One::No => {}
        }
        match back {
            Some((star, start)) if stands(text[start]) => {
                (at, from, back) = (star + 1, start + 1, Some((star, start + 1)));
            }
            _ => return false,
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

enum One {
    Star,
    /// Matched; the pattern goes on here.
    Next(usize),
    No,
}

fn one(pattern: &[char], at: usize, letter: char, stands: &impl Fn(char) -> bool) -> One {
    match pattern.get(at) {
        Some('*') => One::Star,
        Some('?') if stands(letter) => One::Next(at + 1),
        Some('[') => match set_end(pattern, at) {
            Some(end) if stands(letter) && in_set(&pattern[at + 1..end], letter) => One::Next(end + 1),
            None if letter == '[' => One::Next(at + 1),
            _ => One::No,
        },
        Some(other) if *other == letter => One::Next(at + 1),
        _ => One::No,
    }
}

/// Where a set ends; a bracket right at its start is a member.
fn set_end(pattern: &[char], at: usize) -> Option<usize> {
    let first = at + 1 + usize::from(matches!(pattern.get(at + 1), Some('!' | '^')));
    let from = first + usize::from(pattern.get(first) == Some(&']'));
    pattern.get(from..)?.iter().position(|letter| *letter == ']').map(|end| from + end)
}

fn in_set(set: &[char], letter: char) -> bool {
    let (negated, set) = match set {
        ['!' | '^', rest @ ..] => (true, rest),
        set => (false, set),
    };
    // Which characters a class holds depends on the locale: it is taken to hold this one.
    let class = set.contains(&':');
    let range = set.windows(3).any(|part| part[1] == '-' && part[0] <= letter && letter <= part[2]);
    class || (range || set.contains(&letter)) != negated
}

#[cfg(test)]
mod tests {
    use super::{Slash, matches};

    #[test]
    fn patterns_match() {
        for (pattern, text, expected) in [
            ("/e*", "/etc", true),
            ("/h?me", "/home", true),
            ("/[e]tc", "/etc", true),
            ("/*", "/usr/bin", false),
            ("/x*", "/etc", false),
            ("/etc", "/etc", true),
            ("/u*/b*", "/usr/bin", true),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, text, Slash::Apart), expected, "{pattern} {text}");
        }
        assert!(matches("/*", "/usr/bin", Slash::Same));
        for (pattern, text, expected) in [
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[!a]x", "bx", true),
            ("[]]", "]", true),
            ("[", "[", true),
        ] {
            assert_eq!(matches(pattern, text, Slash::Same), expected, "{pattern} {text}");
        }
    }
}
