//! Tricks made visible, and that nothing else is changed.

use std::borrow::Cow;

use proptest::prelude::*;
use unicode_general_category::{GeneralCategory, get_general_category};

use super::{Newlines, visible};

#[test]
fn tricks_are_shown() {
    for (text, expected) in [
        ("rm -rf x\u{1b}[2K\rls", "rm -rf x\\x1b[2K\\rls"),
        ("ls \u{202e}fr- mr", "ls \\u{202e}fr- mr"),
        ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
        ("l\u{200b}s", "l\\u{200b}s"),
        ("\u{feff}ls", "\\u{feff}ls"),
        ("ls\u{a0}x\u{3000}y", "ls\\u{a0}x\\u{3000}y"),
        ("a\u{2028}b\u{85}c", "a\\u{2028}b\\u{85}c"),
        ("\u{9b}31m", "\\u{9b}31m"),
        ("a\u{8}b\u{7f}\0", "a\\x08b\\x7f\\x00"),
        ("\u{3164}\u{2800}\u{34f}", "\\u{3164}\\u{2800}\\u{34f}"),
        ("\u{e0041}\u{e000}", "\\u{e0041}\\u{e000}"),
    ] {
        assert_eq!(visible(text, Newlines::Kept), expected);
    }
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in ["", "ls -la\n\techo 'ok'", "grüße 日本語 привет", "ᛁ ∑ € 🎉", "e\u{301}"] {
        assert!(matches!(visible(text, Newlines::Kept), Cow::Borrowed(same) if same == text), "{text}");
    }
    assert_eq!(visible("a\nb\tc", Newlines::Shown), "a\\nb\tc");
}

fn is_trick(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}

proptest! {
    #[test]
    fn nothing_invisible_is_left(text in "\\PC*|[\\x00-\\x{9f}\\x{200b}-\\x{200f}\\x{2028}-\\x{202e}\\x{2060}-\\x{206f}a-z]*|.*") {
        for newlines in [Newlines::Kept, Newlines::Shown] {
            let shown = visible(&text, newlines).into_owned();
            for letter in shown.chars() {
                let kept = letter == '\t' || (letter == '\n' && newlines == Newlines::Kept);
                prop_assert!(kept || !letter.is_control(), "{letter:?}");
                prop_assert!(!is_trick(letter), "{letter:?}");
                prop_assert!(letter == ' ' || get_general_category(letter) != GeneralCategory::SpaceSeparator);
            }
            // Showing it again changes nothing more.
            prop_assert_eq!(visible(&shown, newlines).into_owned(), shown.clone());
        }
    }
}
