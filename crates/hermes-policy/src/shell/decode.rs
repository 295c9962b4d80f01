//! Undoing the encodings that commands are hidden in: base64, base32, hex, reversed
//! and translated text. Only for text that stands literally in the command.

use super::event::UNKNOWN;

/// Base64 or base32 (`bits` per character); nothing if it is not that.
pub(super) fn base(text: &str, bits: u32) -> Option<String> {
    let alphabet: &[u8] = match bits {
        6 => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        _ => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    };
    let (mut held, mut count, mut bytes) = (0_u32, 0, Vec::with_capacity(text.len()));
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        if byte == b'=' {
            break;
        }
        let digit = alphabet.iter().position(|letter| *letter == byte)?;
        held = (held << bits | digit as u32) & 0xffff;
        count += bits;
        if count >= 8 {
            count -= 8;
            bytes.push((held >> count & 0xff) as u8);
        }
    }
    readable(&bytes)
}

/// Pairs of hexadecimal digits.
pub(super) fn hex(text: &str) -> Option<String> {
    let digits: Vec<u32> = text.chars().filter_map(|letter| letter.to_digit(16)).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
    readable(&bytes)
}

fn readable(bytes: &[u8]) -> Option<String> {
    Some(String::from_utf8_lossy(bytes).replace(UNKNOWN, ""))
}

/// Every line backwards.
pub(super) fn reversed(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| line.chars().rev().collect()).collect();
    lines.join("\n")
}

/// `tr FROM TO`, with ranges; nothing for classes and anything else unusual.
pub(super) fn translated(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (letters(from)?, letters(to)?);
    let last = *to.last()?;
    let change = |letter| match from.iter().rposition(|other| *other == letter) {
        Some(at) => to.get(at).copied().unwrap_or(last),
        None => letter,
    };
    Some(text.chars().map(change).collect())
}

/// `tr -d SET`.
pub(super) fn deleted(text: &str, set: &str) -> Option<String> {
    let set = letters(set)?;
    Some(text.chars().filter(|letter| !set.contains(letter)).collect())
}

fn letters(set: &str) -> Option<Vec<char>> {
    if set.contains("[:") || set.contains("[=") {
        return None;
    }
    let set = super::quote::unescape(set, super::quote::Escapes::Dollar);
    let given: Vec<char> = set.chars().collect();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < given.len() {
        if given.get(at + 1) == Some(&'-') && at + 2 < given.len() {
            let (from, to) = (given[at], given[at + 2]);
            if !from.is_ascii() || !to.is_ascii() {
                return None;
            }
            all.extend(from..=to);
            at += 3;
        } else {
            all.push(given[at]);
            at += 1;
        }
    }
    (all.len() <= 512).then_some(all)
}

/// All occurrences replaced, unless that would make the text very long.
pub(super) fn replace_bounded(text: &str, from: &str, to: &str) -> String {
    let longest = text.len() + text.matches(from).count() * to.len();
    if longest > super::limits::CHARACTERS { UNKNOWN.to_string() } else { text.replace(from, to) }
}

#[cfg(test)]
mod tests {
    use super::{base, deleted, hex, reversed, translated};

    #[test]
    fn encodings_are_undone() {
        assert_eq!(base("cm0gLXJmIC8=", 6).as_deref(), Some("rm -rf /"));
        assert_eq!(base("cm0gLXJmIC8K\n", 6).as_deref(), Some("rm -rf /\n"));
        assert_eq!(base("OJWSALLSMYQC6===", 5).as_deref(), Some("rm -rf /"));
        assert_eq!(base("not base!", 6), None);
        assert_eq!(hex("726d 202d7266 202f").as_deref(), Some("rm -rf /"));
        assert_eq!(reversed("/ fr- mr\n"), "rm -rf /\n");
        assert_eq!(translated("ez -es /", "a-z", "n-za-m").as_deref(), Some("rm -rf /"));
        assert_eq!(translated("RM", "[:upper:]", "[:lower:]"), None);
        assert_eq!(deleted("r.m", ".").as_deref(), Some("rm"));
    }
}
