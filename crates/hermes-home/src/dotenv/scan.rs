//! One assignment in the text of a `.env`: where its parts stand and what it means.
//!
//! The hazard is the closing quote. A quoted value may go over several lines, and a
//! wrong guess makes one line swallow the secrets below it.

use std::ops::Range;

use super::problem::What;
use super::quote::{unescape_double, unescape_single};

/// An assignment as found in the text, in offsets of it.
pub(super) struct Found {
    pub(super) name: Range<usize>,
    /// Where indentation and `export` end.
    pub(super) lead_end: usize,
    pub(super) value: String,
    /// Where the value stands, its quotes included.
    pub(super) written: Range<usize>,
    /// Whether a shell would expand a `${NAME}` in this value.
    pub(super) refers: bool,
}

/// The end of the line that `at` is on, its line end included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    match text[at..].find(['\n', '\r']).map(|offset| at + offset) {
        Some(end) if text[end..].starts_with("\r\n") => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}

/// The assignment that starts on this line; `None` for a blank line or a comment.
pub(super) fn find_assignment(text: &str, line_start: usize) -> Result<Option<Found>, What> {
    let indented = skip_blanks(text, line_start);
    if comment_or_end(text, indented) {
        return Ok(None);
    }
    let lead_end = skip_export(text, indented);
    let (name, after_name) = find_name(text, lead_end).ok_or(What::NotAnAssignment)?;
    let equals = skip_blanks(text, after_name);
    if !text[equals..].starts_with('=') {
        return Err(What::NotAnAssignment);
    }
    let (written, value) = find_value(text, equals + 1)?;
    let refers = has_reference(&text[written.clone()]);
    Ok(Some(Found { name, lead_end, value, written, refers }))
}

fn has_reference(written: &str) -> bool {
    !written.starts_with('\'') && written.replace("\\\\", "").replace("\\$", "").contains("${")
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() && !matches!(character, '\n' | '\r')
}

fn skip_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches(is_blank).len()
}

/// Whether nothing but a comment stands between here and the end of the line.
fn comment_or_end(text: &str, at: usize) -> bool {
    let rest = &text[skip_blanks(text, at)..];
    rest.is_empty() || rest.starts_with(['\n', '\r', '#'])
}

fn skip_export(text: &str, at: usize) -> usize {
    match text[at..].strip_prefix("export") {
        Some(rest) if rest.starts_with(is_blank) => skip_blanks(text, text.len() - rest.len()),
        _ => at,
    }
}

/// The name, bare or in single quotes, and where the text goes on after it.
fn find_name(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let line = &text[at..line_end(text, at)];
    if let Some(inside) = line.strip_prefix('\'') {
        let length = inside.find('\'').filter(|length| *length > 0)?;
        return Some((at + 1..at + 1 + length, at + length + 2));
    }
    let bare = line.find(|c: char| c == '=' || c == '#' || c.is_whitespace()).unwrap_or(line.len());
    (bare > 0).then_some((at..at + bare, at + bare))
}

/// Where the value after `=` stands, and what it is.
fn find_value(text: &str, after_equals: usize) -> Result<(Range<usize>, String), What> {
    let start = skip_blanks(text, after_equals);
    match text[start..].chars().next() {
        None | Some('\n' | '\r') => Ok((after_equals..after_equals, String::new())),
        // python-dotenv takes such a comment for the value: a key named "# paste it here".
        Some('#') if start > after_equals => Ok((after_equals..after_equals, String::new())),
        Some(quote @ ('\'' | '"')) => {
            let close = find_closing_quote(text, start, quote)?;
            let inside = &text[start + 1..close];
            let value = if quote == '"' { unescape_double(inside) } else { unescape_single(inside) };
            Ok((start..close + 1, value))
        }
        Some(_) => {
            let value = bare_value(&text[start..line_end(text, start)]);
            Ok((start..start + value.len(), value.to_owned()))
        }
    }
}

/// The rest of a line up to a comment, which has to have a blank before it.
fn bare_value(rest: &str) -> &str {
    let mut after_blank = false;
    let comment = rest.find(|character: char| {
        let found = character == '#' && after_blank;
        after_blank = character.is_whitespace();
        found
    });
    rest[..comment.unwrap_or(rest.len())].trim_end()
}

/// The quote that ends the value opened at `open`: one with at most a comment after
/// it on its line. First the one that escapes leave over, then the one that
/// python-dotenv takes, which knows no `\\`, then one that a shell would take.
fn find_closing_quote(text: &str, open: usize, quote: char) -> Result<usize, What> {
    let start = open + 1;
    let end_of_line = line_end(text, start);
    let candidates = [
        unescaped_quote(&text[start..], quote),
        quote_not_after_backslash(&text[start..], quote),
        text[start..end_of_line].match_indices(['\\']).map(|(at, _)| at + 1).find(|at| {
            let here = start + at;
            text[here..].starts_with(quote) && comment_or_end(text, here + 1)
        }),
    ];
    let mut found = candidates.into_iter().flatten().map(|offset| start + offset).peekable();
    let first = found.peek().copied();
    found.find(|at| comment_or_end(text, at + 1)).ok_or(match first {
        Some(at) if at < end_of_line => What::TextAfterQuote,
        _ => What::UnterminatedQuote,
    })
}

fn unescaped_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.find(|character: char| {
        let found = character == quote && !escaped;
        escaped = character == '\\' && !escaped;
        found
    })
}

fn quote_not_after_backslash(text: &str, quote: char) -> Option<usize> {
    let mut after_backslash = false;
    text.find(|character: char| {
        let found = character == quote && !after_backslash;
        after_backslash = character == '\\';
        found
    })
}
