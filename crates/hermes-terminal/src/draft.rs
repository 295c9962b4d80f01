//! A line that is being typed, outside of the line editor: ahead of a running turn, or on the full screen.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use reedline::LineBuffer;

use crate::text::visible;

/// More is a file, not a message.
const LONGEST: usize = 1024 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Draft(LineBuffer);

/// What a key did to the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edited {
    Changed,
    /// It is complete.
    Sent(String),
    /// The key means something else.
    Untouched,
}

impl Draft {
    pub(crate) fn key(&mut self, key: KeyEvent) -> Edited {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return self.control_key(key.code);
        }
        let is_alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Enter if is_alt || key.modifiers.contains(KeyModifiers::SHIFT) => self.insert("\n"),
            KeyCode::Enter => return self.send(),
            KeyCode::Char('b') if is_alt => self.word_left(),
            KeyCode::Char('f') if is_alt => self.word_right(),
            KeyCode::Char(_) if is_alt => return Edited::Untouched,
            KeyCode::Char(character) => self.insert(character.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if is_alt => self.0.delete_word_left(),
            KeyCode::Backspace => self.0.delete_left_grapheme(),
            KeyCode::Delete => self.0.delete_right_grapheme(),
            KeyCode::Left => self.0.move_left(),
            KeyCode::Right => self.0.move_right(),
            KeyCode::Home => self.0.move_to_line_start(),
            KeyCode::End => self.0.move_to_line_end(),
            KeyCode::Up if !self.0.is_cursor_at_first_line() => self.0.move_line_up(),
            KeyCode::Down if !self.0.is_cursor_at_last_line() => self.0.move_line_down(),
            _ => return Edited::Untouched,
        }
        Edited::Changed
    }

    fn control_key(&mut self, code: KeyCode) -> Edited {
        match code {
            KeyCode::Char('a') => self.0.move_to_line_start(),
            KeyCode::Char('e') => self.0.move_to_line_end(),
            KeyCode::Char('b') => self.0.move_left(),
            KeyCode::Char('f') => self.0.move_right(),
            KeyCode::Char('h') => self.0.delete_left_grapheme(),
            KeyCode::Char('k') => self.0.clear_to_line_end(),
            KeyCode::Char('u') => self.0.clear_to_insertion_point(),
            KeyCode::Char('w') => self.0.delete_word_left(),
            KeyCode::Char('j') => return self.send(),
            KeyCode::Left => self.word_left(),
            KeyCode::Right => self.word_right(),
            _ => return Edited::Untouched,
        }
        Edited::Changed
    }

    /// Inserts text where the cursor is; what would act on the terminal is made visible.
    pub(crate) fn insert(&mut self, text: &str) {
        if self.0.len() + text.len() <= LONGEST {
            self.0.insert_str(&visible(text));
        }
    }

    /// A line that ends in a backslash goes on.
    fn send(&mut self) -> Edited {
        if self.0.get_buffer().ends_with('\\') {
            self.0.move_to_end();
            self.0.insert_newline();
            return Edited::Changed;
        }
        Edited::Sent(joined(&self.take()))
    }

    /// The text, which is then no longer here.
    pub(crate) fn take(&mut self) -> String {
        let text = self.0.get_buffer().to_owned();
        self.0.clear();
        text
    }

    pub(crate) fn set(&mut self, text: &str) {
        self.0.set_buffer(text.to_owned());
        self.0.move_to_end();
    }

    pub(crate) fn text(&self) -> &str {
        self.0.get_buffer()
    }

    /// The text up to the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        &self.0.get_buffer()[..self.0.insertion_point()]
    }

    /// Replaces what is between this place and the cursor.
    pub(crate) fn replace_from(&mut self, start: usize, text: &str) {
        let end = self.0.insertion_point();
        if start <= end {
            self.0.replace_range(start..end, text);
            self.0.set_insertion_point(start + text.len());
        }
    }

    fn word_left(&mut self) {
        let before = self.before_cursor().trim_end();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| next_boundary(before, at));
        self.0.set_insertion_point(start);
    }

    fn word_right(&mut self) {
        let from = self.0.insertion_point();
        let rest = &self.0.get_buffer()[from..];
        let spaces = rest.len() - rest.trim_start().len();
        let end = rest[spaces..].find(char::is_whitespace).map_or(rest.len(), |at| spaces + at);
        self.0.set_insertion_point(from + end);
    }
}

/// The text as it was meant: a backslash before a line's end only said that it goes on.
pub(crate) fn joined(text: &str) -> String {
    text.replace("\\\n", "\n")
}

fn next_boundary(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(draft: &mut Draft, keys: &[(KeyCode, KeyModifiers)]) -> Edited {
        keys.iter().fold(Edited::Untouched, |_, (code, modifiers)| draft.key(KeyEvent::new(*code, *modifiers)))
    }

    #[test]
    fn keys_edit_and_enter_sends() {
        let mut draft = Draft::default();
        draft.insert("hello wörld");
        typed(&mut draft, &[(KeyCode::Left, KeyModifiers::NONE), (KeyCode::Backspace, KeyModifiers::NONE)]);
        assert_eq!(draft.text(), "hello wörd");
        typed(&mut draft, &[(KeyCode::Char('b'), KeyModifiers::ALT), (KeyCode::Char('X'), KeyModifiers::SHIFT)]);
        assert_eq!(draft.text(), "hello Xwörd");
        typed(&mut draft, &[(KeyCode::Char('e'), KeyModifiers::CONTROL), (KeyCode::Char('w'), KeyModifiers::CONTROL)]);
        assert_eq!(draft.text(), "hello ");
        assert_eq!(typed(&mut draft, &[(KeyCode::Enter, KeyModifiers::NONE)]), Edited::Sent("hello ".to_owned()));
        assert_eq!(draft.text(), "");
    }

    #[test]
    fn several_lines_are_typed_with_alt_enter_or_a_backslash() {
        let mut draft = Draft::default();
        draft.insert("a");
        typed(&mut draft, &[(KeyCode::Enter, KeyModifiers::ALT), (KeyCode::Char('b'), KeyModifiers::NONE)]);
        typed(&mut draft, &[(KeyCode::Char('\\'), KeyModifiers::NONE), (KeyCode::Enter, KeyModifiers::NONE)]);
        typed(&mut draft, &[(KeyCode::Char('c'), KeyModifiers::NONE)]);
        assert_eq!(typed(&mut draft, &[(KeyCode::Enter, KeyModifiers::NONE)]), Edited::Sent("a\nb\nc".to_owned()));
    }

    #[test]
    fn what_is_pasted_does_not_act() {
        let mut draft = Draft::default();
        draft.insert("a\u{1b}[2Jb\r\nc");
        assert_eq!(draft.text(), "a␛[2Jb\nc");
    }
}
