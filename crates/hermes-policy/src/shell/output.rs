//! What a command prints, for the few commands where the text itself says it.

use super::decode;
use super::event::{Simple, UNKNOWN};
use super::limits::CHARACTERS;
use super::quote::{Escapes, unescape};

/// The output of a command, if it is plain.
pub(super) fn literal(command: &Simple) -> Option<String> {
    let text = match command.name.as_str() {
        "echo" => echo(command),
        "printf" => printf(command)?,
        "tee" => command.feed.text()?.to_owned(),
        "cat" if command.operands().all(|field| field.text == "-" || field.text.starts_with("/dev/")) => {
            command.feed.text()?.to_owned()
        }
        "base64" | "gbase64" if decodes(command) => decode::base(command.feed.text()?, 6)?,
        "base32" if decodes(command) => decode::base(command.feed.text()?, 5)?,
        "openssl" if command.has_letter('d') && command.has(&["base64", "-base64", "-a"]) => {
            decode::base(command.feed.text()?, 6)?
        }
        "xxd" if command.has_letter('r') => decode::hex(command.feed.text()?)?,
        "rev" => decode::reversed(command.feed.text()?),
        "tr" => translate(command)?,
        "which" => command.operand(0)?.to_owned(),
        "command" | "type" if command.has(&["-v", "-V", "-p", "-P"]) => command.operand(0)?.to_owned(),
        "dirname" => command
            .operand(0)?
            .rsplit_once('/')
            .map_or(".", |(folder, _)| if folder.is_empty() { "/" } else { folder })
            .to_owned(),
        "basename" if command.operands().count() == 1 => command.operand(0)?.rsplit('/').next()?.to_owned(),
        "pwd" => command.folder.clone()?,
        _ => return None,
    };
    (text.len() <= CHARACTERS).then_some(text)
}

fn decodes(command: &Simple) -> bool {
    command.has_letter('d') || command.has_letter('D') || command.has_long("--decode", 3)
}

fn echo(command: &Simple) -> String {
    let mut words: Vec<&str> = command.texts().collect();
    let (mut escapes, mut newline) = (false, true);
    while let Some(flags) = words.first().and_then(|word| word.strip_prefix('-')) {
        if flags.is_empty() || !flags.bytes().all(|byte| b"neE".contains(&byte)) {
            break;
        }
        escapes |= flags.contains('e');
        newline &= !flags.contains('n');
        words.remove(0);
    }
    let mut text = words.join(" ");
    if escapes {
        text = unescape_known(&text);
    }
    if newline {
        text.push('\n');
    }
    text
}

/// Escapes resolved around the unknown parts.
fn unescape_known(text: &str) -> String {
    let parts: Vec<String> = text.split(UNKNOWN).map(|part| unescape(part, Escapes::Echo)).collect();
    parts.join(&UNKNOWN.to_string())
}

fn printf(command: &Simple) -> Option<String> {
    let mut words = command.texts();
    let mut format = words.next()?;
    match format {
        "-v" => return None,
        "--" => format = words.next()?,
        _ => {}
    }
    let words: Vec<&str> = words.collect();
    let mut text = String::new();
    let mut at = 0;
    loop {
        let before = at;
        one_format(format, &words, &mut at, &mut text)?;
        if at >= words.len() || at == before || text.len() > CHARACTERS {
            return Some(text);
        }
    }
}

/// The format once, with the next words in its places.
fn one_format(format: &str, words: &[&str], at: &mut usize, text: &mut String) -> Option<()> {
    let mut rest = format;
    while let Some(percent) = rest.find('%') {
        text.push_str(&unescape(&rest[..percent], Escapes::Dollar));
        rest = &rest[percent + 1..];
        let flags = rest.find(|letter: char| letter.is_ascii_alphabetic() || letter == '%')?;
        let kind = rest[flags..].chars().next()?;
        rest = &rest[flags + 1..];
        if kind == '%' {
            text.push('%');
            continue;
        }
        let word = words.get(*at).copied().unwrap_or_default();
        *at += 1;
        match kind {
            'b' => text.push_str(&unescape_known(word)),
            's' | 'q' | 'd' | 'i' | 'u' => text.push_str(word),
            'c' => text.extend(word.chars().next()),
            _ => return None,
        }
    }
    text.push_str(&unescape(rest, Escapes::Dollar));
    Some(())
}

fn translate(command: &Simple) -> Option<String> {
    let input = command.feed.text()?;
    let first = command.operand(0)?;
    if command.has_letter('d') {
        return decode::deleted(input, first);
    }
    decode::translated(input, first, command.operand(1)?)
}
