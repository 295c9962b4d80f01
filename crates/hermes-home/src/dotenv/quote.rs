//! A value as it is written into `.env`, and the escapes that are undone on reading.
//!
//! Three readers have to agree: this one, python-dotenv, and a shell that sources
//! the file. Bare and single-quoted text means the same to all three, double quotes
//! with `\\` and `\"` too. Two cases cannot be written for all: a value with both
//! `'` and `$` (or a backtick) is written for the shell, and a carriage return,
//! which python-dotenv turns into a newline unless it is an escape, is written as
//! one, which a shell does not know.

/// The value, quoted as little as possible: also what a shell takes for one word.
pub(crate) fn quote(value: &str) -> String {
    if value.chars().all(is_plain) {
        return value.to_owned();
    }
    if fits_single_quotes(value) {
        return format!("'{value}'");
    }
    let mut quoted = String::with_capacity(value.len() + 8);
    quoted.push('"');
    for character in value.chars() {
        match character {
            '\r' => quoted.push_str("\\r"),
            '\\' | '"' | '$' | '`' => quoted.extend(['\\', character]),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that mean themselves to a shell wherever they stand in a value.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_-./:@%+,=".contains(character)
}

/// A shell knows no escapes in single quotes, python-dotenv knows `\\` and `\'`.
fn fits_single_quotes(value: &str) -> bool {
    !value.contains(['\'', '\r']) && !value.contains("\\\\") && !value.ends_with('\\')
}

/// What stands between single quotes, as the value it means.
pub(super) fn unescape_single(raw: &str) -> String {
    unescape(raw, |escaped| matches!(escaped, '\\' | '\'').then_some(escaped))
}

/// What stands between double quotes, as the value it means. `\$` and `` \` `` are
/// the shell's; python-dotenv keeps their backslash.
pub(super) fn unescape_double(raw: &str) -> String {
    unescape(raw, |escaped| match escaped {
        '\\' | '\'' | '"' | '$' | '`' => Some(escaped),
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\u{b}'),
        _ => None,
    })
}

/// Undoes escapes and, as every text-mode reader does, turns each line end into `\n`.
fn unescape(raw: &str, meaning: impl Fn(char) -> Option<char>) -> String {
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => match rest.peek().and_then(|escaped| meaning(*escaped)) {
                Some(meant) => {
                    value.push(meant);
                    rest.next();
                }
                None => value.push('\\'),
            },
            '\r' => {
                rest.next_if_eq(&'\n');
                value.push('\n');
            }
            other => value.push(other),
        }
    }
    value
}
