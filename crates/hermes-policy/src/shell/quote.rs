//! Quotes and brackets: where they end, and what `$'…'` and backslashes stand for.

/// The index of the character that closes what was opened before `start`, with quotes,
/// escapes and nested brackets of all kinds skipped. Iterative: nesting costs no stack.
pub(super) fn closing(text: &str, start: usize, close: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut waiting = vec![close];
    let mut at = start;
    while at < bytes.len() {
        let expected = *waiting.last()?;
        let byte = bytes[at];
        if byte == expected {
            waiting.pop();
            if waiting.is_empty() {
                return Some(at);
            }
            at += 1;
            continue;
        }
        let quoted = expected == b'"';
        match byte {
            b'\\' => at += 1,
            b'\'' if !quoted => at = single_end(bytes, at)?,
            b'"' => waiting.push(b'"'),
            b'`' => waiting.push(b'`'),
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{')) => {
                waiting.push(if bytes[at + 1] == b'(' { b')' } else { b'}' });
                at += 1;
            }
            b'(' if expected == b')' => waiting.push(b')'),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The index of the quote that ends the one at `at`; `$'…'` may escape it.
fn single_end(bytes: &[u8], at: usize) -> Option<usize> {
    let escapes = at > 0 && bytes[at - 1] == b'$';
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\'' => return Some(end),
            b'\\' if escapes => end += 2,
            _ => end += 1,
        }
    }
    None
}

/// The text and length of a `$'…'` whose inside starts at `start`.
pub(super) fn ansi_c(text: &str, start: usize) -> (String, usize) {
    let end = single_end(text.as_bytes(), start.saturating_sub(1)).unwrap_or(text.len()).max(start);
    (unescape(&text[start..end], Escapes::Dollar), (end + 1).min(text.len()))
}

/// Who reads the escapes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// `$'…'`: `\nnn` is octal.
    Dollar,
    /// `echo -e` and `printf %b`: `\0nnn` is octal.
    Echo,
}

/// What backslash escapes stand for.
pub(super) fn unescape(text: &str, escapes: Escapes) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        rest = one_escape(rest, escapes, &mut bytes);
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).replace('\0', "")
}

fn one_escape<'t>(rest: &'t str, escapes: Escapes, bytes: &mut Vec<u8>) -> &'t str {
    let Some(letter) = rest.chars().next() else {
        bytes.push(b'\\');
        return rest;
    };
    let after = &rest[letter.len_utf8()..];
    let (digits, radix, most) = match letter {
        'x' => (after, 16, 2),
        'u' => (after, 16, 4),
        'U' => (after, 16, 8),
        '0' if escapes == Escapes::Echo => (after, 8, 3),
        '0'..='7' => (rest, 8, 3),
        _ => return plain_escape(letter, after, bytes),
    };
    let length = digits.bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let number = u32::from_str_radix(&digits[..length], radix).unwrap_or_default();
    if matches!(letter, 'u' | 'U') {
        let letter = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
        bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        bytes.push((number & 0xff) as u8);
    }
    &digits[length..]
}

fn plain_escape<'t>(letter: char, after: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    match letter {
        'a' | 'b' | 'e' | 'E' | 'f' | 'v' => bytes.push(0x07),
        'n' => bytes.push(b'\n'),
        'r' => bytes.push(b'\r'),
        't' => bytes.push(b'\t'),
        '\\' | '\'' | '"' | '?' => bytes.push(letter as u8),
        _ => {
            bytes.push(b'\\');
            bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    after
}

#[cfg(test)]
mod tests {
    use super::{Escapes, ansi_c, closing, unescape};

    #[test]
    fn brackets_close_where_bash_closes_them() {
        for (text, close, expected) in [
            ("a) b", b')', Some(1)),
            ("a ')' b) c", b')', Some(7)),
            ("a \\) \")\" $(b)) c", b')', Some(13)),
            ("x:-${y:-}} }", b'}', Some(9)),
            ("a `)` (b))", b')', Some(9)),
            ("a $'\\')' )", b')', Some(9)),
            ("never", b')', None),
        ] {
            assert_eq!(closing(text, 0, close), expected, "{text}");
        }
    }

    #[test]
    fn escapes_become_characters() {
        for (text, expected) in
            [("r\\x6d", "rm"), ("\\162m", "rm"), ("\\u0072m", "rm"), ("a\\tb", "a\tb"), ("\\q", "\\q"), ("\\", "\\")]
        {
            assert_eq!(unescape(text, Escapes::Dollar), expected);
        }
        assert_eq!(unescape("\\0162m", Escapes::Echo), "rm");
        assert_eq!(ansi_c("$'r\\x6d' x", 2), ("rm".to_owned(), 8));
        assert_eq!(ansi_c("$'open", 2), ("open".to_owned(), 6));
    }
}
