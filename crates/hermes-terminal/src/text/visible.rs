//! Control characters are made visible. A model, a file or a command's output that could send escape sequences would own
//! the terminal: move the cursor over a question, change what was shown, answer for the person, reach the clipboard.

use std::borrow::Cow;
use std::fmt::Write;

/// Text as it may be shown: line feeds stay, tabs become spaces, everything that would act on the terminal or turn the
/// reading order around is shown as a sign.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, is_hostile)
}

/// As [`visible`], for what somebody is asked to approve: characters without a width are shown too, since two commands that
/// differ only in them would look the same.
pub(crate) fn revealed(text: &str) -> Cow<'_, str> {
    replaced(text, |character| is_hostile(character) || is_unseen(character))
}

fn replaced(text: &str, hides: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|character| character == '\t' || hides(character)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\t' => shown.push_str("    "),
            _ if hides(character) => shown.push_str(&sign(character)),
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// How a character that is not shown itself is written.
fn sign(character: char) -> String {
    let code = u32::from(character);
    match code {
        0..0x20 => char::from_u32(0x2400 + code).map(String::from).unwrap_or_default(),
        0x7f => "␡".to_owned(),
        _ => {
            let mut text = String::new();
            // Writing to a String cannot fail.
            let _ = write!(text, "⟨U+{code:04X}⟩");
            text
        }
    }
}

/// Acts on the terminal, on the reading order or on the lines.
fn is_hostile(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks, embeddings, overrides and isolates of bidirectional text.
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Separators that some terminals and copies take for line ends.
        '\u{2028}' | '\u{2029}' => true,
        // Invisible text: tags, interlinear annotations, byte order marks.
        '\u{e0000}'..='\u{e007f}' | '\u{fff9}'..='\u{fffb}' | '\u{feff}' => true,
        _ => character.is_control(),
    }
}

/// Has no width and no effect but to make two texts differ.
fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{00ad}' | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0080}'..='\u{e0fff}'
    ) || (character.is_whitespace() && !matches!(character, ' ' | '\n' | '\t' | '\r'))
}

#[cfg(test)]
mod tests {
    use super::{revealed, visible};

    #[test]
    fn nothing_that_acts_on_a_terminal_stays_as_it_is() {
        for (text, expected) in [
            ("plain ünïcode 漢字 👩‍💻", "plain ünïcode 漢字 👩‍💻"),
            ("a\nb\r\nc", "a\nb\nc"),
            ("a\tb", "a    b"),
            ("\u{1b}[2J\u{1b}]52;c;aGk=\u{7}", "␛[2J␛]52;c;aGk=␇"),
            ("safe\rrm -rf /", "safe␍rm -rf /"),
            ("x\u{8}\u{8}y\u{7f}", "x␈␈y␡"),
            ("\u{9b}31m\u{85}\u{90}", "⟨U+009B⟩31m⟨U+0085⟩⟨U+0090⟩"),
            ("a\u{202e}txt.exe\u{202c}", "a⟨U+202E⟩txt.exe⟨U+202C⟩"),
            ("\u{2066}\u{2069}\u{200f}", "⟨U+2066⟩⟨U+2069⟩⟨U+200F⟩"),
            ("a\u{2028}b", "a⟨U+2028⟩b"),
            ("\u{e0041}\u{feff}", "⟨U+E0041⟩⟨U+FEFF⟩"),
            ("\0", "␀"),
        ] {
            assert_eq!(visible(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_to_be_approved_hides_nothing() {
        for (text, expected) in [
            ("rm\u{200b} -rf", "rm⟨U+200B⟩ -rf"),
            ("a\u{a0}b\u{3000}c", "a⟨U+00A0⟩b⟨U+3000⟩c"),
            ("a\u{fe0f}\u{200d}", "a⟨U+FE0F⟩⟨U+200D⟩"),
            ("echo 漢字\n\tok", "echo 漢字\n    ok"),
        ] {
            assert_eq!(revealed(text), expected, "{text:?}");
        }
    }

    #[test]
    fn no_character_at_all_gets_through_as_a_control() {
        for character in (0..=0x0010_ffff).filter_map(char::from_u32).filter(|character| *character != '\n') {
            let text = character.to_string();
            assert!(!visible(&text).chars().any(char::is_control), "{character:?}");
        }
    }
}
