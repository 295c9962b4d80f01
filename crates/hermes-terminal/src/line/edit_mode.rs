//! Small parts of the line editor: its keys, its prompt, what it completes, when a line is complete.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossterm::event::Event;
use reedline::{
    Completer, CompletionResult, EditMode, Emacs, KeyCode, KeyModifiers, Prompt, PromptEditMode, PromptHistorySearch,
    ReedlineEvent, ReedlineRawEvent, Span, Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};

use crate::command::completions;
use crate::conversation::{Conversation, Headline};
use crate::draft::{Draft, Edited};
use crate::keyboard::Call;
use crate::text::visible;

pub(super) const MENU: &str = "commands";

/// Emacs keys, and a way to be called back from outside.
pub(super) struct Keys {
    emacs: Emacs,
    call: Call,
    late: Late,
}

impl Keys {
    /// The call is looked at when the terminal was resized, or seems to have been: see [`crate::keyboard`].
    pub(super) fn new(call: Call, late: Late) -> Self {
        let mut keys = default_emacs_keybindings();
        let complete = ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]);
        keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
        Self { emacs: Emacs::new(keys), call, late }
    }
}

impl EditMode for Keys {
    fn parse_event(&mut self, event: ReedlineRawEvent) -> ReedlineEvent {
        match Event::from(event) {
            event if self.late.took(&event) => ReedlineEvent::None,
            Event::Resize(..) if self.call.take() => {
                self.late.begin();
                ReedlineEvent::ExecuteHostCommand(String::new())
            }
            // The editor would show pasted escape sequences as they are.
            Event::Paste(text) => self.pass_on(Event::Paste(visible(&text.replace('\r', "\n")).into_owned())),
            event => self.pass_on(event),
        }
    }

    fn edit_mode(&self) -> PromptEditMode {
        self.emacs.edit_mode()
    }
}

impl Keys {
    fn pass_on(&mut self, event: Event) -> ReedlineEvent {
        ReedlineRawEvent::try_from(event).map_or(ReedlineEvent::None, |event| self.emacs.parse_event(event))
    }
}

/// What was typed after the call back and before the editor had returned: it would drop that.
#[derive(Debug, Clone, Default)]
pub(super) struct Late(Arc<Mutex<Option<Typing>>>);

#[derive(Debug, Default)]
pub(super) struct Typing {
    pub(super) draft: Draft,
    /// A line that was even sent.
    pub(super) sent: Option<String>,
    /// Ctrl-C.
    pub(super) is_interrupted: bool,
}

impl Late {
    fn begin(&self) {
        *self.typing() = Some(Typing::default());
    }

    /// What was typed, and the end of it.
    pub(super) fn end(&self) -> Typing {
        self.typing().take().unwrap_or_default()
    }

    /// Whether the event came too late for the editor.
    fn took(&self, event: &Event) -> bool {
        let mut typing = self.typing();
        let Some(typing) = typing.as_mut() else { return false };
        match event {
            Event::Key(key) if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) => {
                *typing = Typing { is_interrupted: true, ..Typing::default() };
            }
            Event::Key(key) => {
                if let Edited::Sent(line) = typing.draft.key(*key) {
                    typing.sent = Some(line);
                }
            }
            Event::Paste(text) => typing.draft.insert(&text.replace('\r', "\n")),
            _ => {}
        }
        true
    }

    fn typing(&self) -> MutexGuard<'_, Option<Typing>> {
        // A panic while typing leaves a text that is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `> `, with a warning before it where one is due.
pub(super) struct Sign {
    left: String,
}

impl Sign {
    pub(super) fn new(headline: &Headline) -> Self {
        let warning = visible(&headline.warning).replace('\n', " ");
        Self { left: if warning.is_empty() { String::new() } else { format!("[{warning}] ") } }
    }

    pub(super) fn text(&self) -> String {
        format!("{}> ", self.left)
    }
}

impl Prompt for Sign {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.left)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed(". ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", visible(&search.term)))
    }
}

/// A line that ends in a backslash goes on.
pub(super) struct Backslash;

impl Validator for Backslash {
    fn validate(&self, line: &str) -> ValidationResult {
        if line.ends_with('\\') { ValidationResult::Incomplete } else { ValidationResult::Complete }
    }
}

/// Completes slash commands and what follows them.
pub(super) struct Commands(pub(super) Arc<dyn Conversation>);

impl Completer for Commands {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let before = line.get(..position).unwrap_or(line);
        let suggestions: Vec<Suggestion> = completions(before, |of| self.0.candidates(of))
            .into_iter()
            .map(|completion| Suggestion {
                value: visible(&completion.text).replace('\n', " "),
                description: Some(completion.help).filter(|help| !help.is_empty()),
                span: Span::new(completion.start, before.len()),
                append_whitespace: true,
                ..Suggestion::default()
            })
            .collect();
        CompletionResult::fresh(suggestions)
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    fn parsed(keys: &mut Keys, event: Event) -> ReedlineEvent {
        keys.parse_event(ReedlineRawEvent::try_from(event).unwrap())
    }

    fn key(code: KeyCode) -> Event {
        Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn what_is_typed_after_the_call_back_is_kept() {
        let (call, late) = (Call::default(), Late::default());
        let mut keys = Keys::new(call.clone(), late.clone());
        assert!(matches!(parsed(&mut keys, Event::Resize(80, 24)), ReedlineEvent::Resize(..)));
        call.make();
        assert!(matches!(parsed(&mut keys, key(KeyCode::Char('a'))), ReedlineEvent::Edit(_)));
        assert!(matches!(parsed(&mut keys, Event::Resize(80, 24)), ReedlineEvent::ExecuteHostCommand(_)));
        for event in [key(KeyCode::Char('b')), Event::Paste("c\r\u{1b}".to_owned()), key(KeyCode::Enter)] {
            assert!(matches!(parsed(&mut keys, event), ReedlineEvent::None));
        }
        parsed(&mut keys, key(KeyCode::Char('d')));
        assert!(!late.typing().as_ref().unwrap().is_interrupted);
        let mut typing = late.end();
        assert_eq!((typing.sent.as_deref(), typing.draft.take().as_str()), (Some("bc\n␛"), "d"));
        assert!(matches!(parsed(&mut keys, key(KeyCode::Char('e'))), ReedlineEvent::Edit(_)));
    }

    #[test]
    fn ctrl_c_after_the_call_back_is_kept_too() {
        let (call, late) = (Call::default(), Late::default());
        let mut keys = Keys::new(call.clone(), late.clone());
        call.make();
        parsed(&mut keys, Event::Resize(80, 24));
        parsed(&mut keys, key(KeyCode::Char('b')));
        parsed(&mut keys, Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)));
        let mut typing = late.end();
        assert!(typing.is_interrupted && typing.draft.take().is_empty());
    }
}
