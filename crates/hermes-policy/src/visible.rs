//! Text as a person must see it before saying yes.
//!
//! Hazard: a command is shown to be approved. An escape sequence moves the cursor and overwrites
//! it, a bidirectional override shows it in another order, and a character without a width hides
//! in it. Whatever does not show as itself is shown as an escape.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_general_category::{GeneralCategory, get_general_category};

/// What becomes of the ends of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Newlines {
    /// They end lines.
    Kept,
    /// As `\n`: for one line.
    Shown,
}

/// The text with everything that is not plainly visible as an escape. Tabs are kept.
pub fn visible(text: &str, newlines: Newlines) -> Cow<'_, str> {
    let shows = |letter: char| shows_as_itself(letter, newlines);
    let Some(first) = text.find(|letter| !shows(letter)) else { return Cow::Borrowed(text) };
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(&text[..first]);
    for letter in text[first..].chars() {
        if shows(letter) {
            shown.push(letter);
        } else {
            push_escape(&mut shown, letter);
        }
    }
    Cow::Owned(shown)
}

fn push_escape(shown: &mut String, letter: char) {
    // Writing to a string does not fail.
    let _ = match letter {
        '\n' => write!(shown, "\\n"),
        '\r' => write!(shown, "\\r"),
        ascii if ascii.is_ascii() => write!(shown, "\\x{:02x}", u32::from(ascii)),
        other => write!(shown, "\\u{{{:x}}}", u32::from(other)),
    };
}

fn shows_as_itself(letter: char, newlines: Newlines) -> bool {
    match letter {
        ' '..='~' | '\t' => true,
        '\n' => newlines == Newlines::Kept,
        ascii if ascii.is_ascii() => false,
        other => !is_invisible(other) && has_a_form(get_general_category(other)),
    }
}

/// Spaces of other widths look like the plain one, and are none to a shell.
fn has_a_form(category: GeneralCategory) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate, Unassigned,
    };
    !matches!(
        category,
        Control | Format | LineSeparator | ParagraphSeparator | PrivateUse | SpaceSeparator | Surrogate | Unassigned
    )
}

/// Letters, marks and symbols of a category that shows, which do not.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{34f}'
        | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{2800}'
        | '\u{3164}' | '\u{ffa0}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{1d159}'
        | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests;
