//! Text of others on a terminal: what models, commands and people wrote must not move the cursor, hide a line or run backwards.

use std::fmt::Write;

use hermes_store::Time;

/// The text on one line, every character that is not plainly visible escaped.
pub(super) fn one_line(text: &str) -> String {
    escaped(text, |_| false)
}

/// The text with its lines and tabs, everything else that is not plainly visible escaped.
pub(super) fn lines(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// The beginning of a text, on one line.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= characters {
        return line;
    }
    line.chars().take(characters.saturating_sub(1)).chain(['…']).collect()
}

/// A moment to the second, in UTC.
pub(super) fn second(time: Time) -> String {
    let text = time.to_string();
    match (text.get(..19), text.ends_with('Z')) {
        (Some(start), true) => format!("{}Z", start.replace('T', " ")),
        _ => text,
    }
}

fn escaped(text: &str, kept: fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) && !kept(c) {
            // Writing to a string cannot fail.
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Control characters, and those that are invisible or change the direction of text.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_the_cursor_or_turns_around() {
        assert_eq!(one_line("a\n\x1b[2Jb\u{202e}c\té"), "a\\n\\u{1b}[2Jb\\u{202e}c\\té");
        assert_eq!(lines("a\n\tb\r\u{9b}"), "a\n\tb\\r\\u{9b}");
        assert_eq!(beginning("abcdef", 4), "abc…");
        assert_eq!(beginning("abcd", 4), "abcd");
        assert_eq!(second(Time::from_microseconds(1_500_000)), "1970-01-01 00:00:01Z");
    }
}
