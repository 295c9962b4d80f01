//! The line editor: history, completion, several lines. And a simple one for terminals that can do nothing of that.

use std::io::{BufRead, Write};
use std::sync::Arc;

use reedline::{
    ColumnarMenu, DefaultHinter, EditCommand, FileBackedHistory, HistoryItem, MenuBuilder, Reedline, ReedlineMenu,
    Signal,
};

use super::edit_mode::{Backslash, Commands, Keys, Late, MENU, Sign};
use crate::conversation::{Conversation, Headline};
use crate::draft::joined;
use crate::keyboard::{Call, LineEditor, Read};
use crate::text::{Paint, visible, width_of};

pub(super) enum Editor {
    Full {
        editor: Box<Reedline>,
        late: Late,
    },
    /// Only the terminal's own line discipline.
    Simple,
}

impl Editor {
    pub(super) fn new(
        conversation: Arc<dyn Conversation>,
        history: FileBackedHistory,
        call: Call,
        paint: Paint,
    ) -> Self {
        if paint == Paint::Nothing {
            return Self::Simple;
        }
        let late = Late::default();
        let menu = ColumnarMenu::default().with_name(MENU).with_columns(1);
        let editor = Reedline::create()
            .with_history(Box::new(history))
            .with_completer(Box::new(Commands(conversation)))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_hinter(Box::new(DefaultHinter::default()))
            .with_validator(Box::new(Backslash))
            .with_edit_mode(Box::new(Keys::new(call, late.clone())))
            .with_ansi_colors(paint == Paint::Colour)
            .use_bracketed_paste(true);
        Self::Full { editor: Box::new(editor), late }
    }
}

impl LineEditor for Editor {
    fn read(&mut self, headline: &Headline, draft: String) -> Read {
        let sign = Sign::new(headline);
        match self {
            Self::Full { editor, late } => full_line(editor, late, &sign, draft),
            Self::Simple => simple_line(&sign, &draft).unwrap_or_else(Read::Failed),
        }
    }
}

fn full_line(editor: &mut Reedline, late: &Late, sign: &Sign, draft: String) -> Read {
    if !draft.is_empty() {
        editor.run_edit_commands(&[EditCommand::InsertString(draft)]);
    }
    let read = match editor.read_line(sign) {
        Ok(Signal::Success(line)) => Read::Line(joined(&line)),
        Ok(Signal::CtrlC) => Read::Interrupt,
        Ok(Signal::CtrlD) => Read::End,
        // Also what a newer editor may return: whoever asked asks again.
        Ok(_) => called_back(editor, late, sign).unwrap_or_else(Read::Failed),
        Err(error) => Read::Failed(std::io::Error::other(error)),
    };
    // A history that cannot be written now may be later; the line itself is what counts.
    let _ = editor.sync_history();
    read
}

/// Leaves the prompt, which stays in the editor, and clears the way for something else.
fn called_back(editor: &mut Reedline, late: &Late, sign: &Sign) -> std::io::Result<Read> {
    clear_prompt(editor, sign)?;
    let mut typing = late.end();
    if typing.is_interrupted {
        editor.run_edit_commands(&[EditCommand::Clear]);
        return Ok(Read::Interrupt);
    }
    if let Some(line) = typing.sent.take() {
        let line = format!("{}{line}", editor.current_buffer_contents());
        editor.run_edit_commands(&[EditCommand::Clear, EditCommand::InsertString(typing.draft.take())]);
        // What cannot be remembered is still said.
        let _ = editor.history_mut().save(HistoryItem::from_command_line(line.clone()));
        writeln!(std::io::stdout(), "{}{}", sign.text(), visible(&line))?;
        return Ok(Read::Line(joined(&line)));
    }
    editor.run_edit_commands(&[EditCommand::InsertString(typing.draft.take())]);
    Ok(Read::CalledBack)
}

/// Clears the rows of the prompt and goes below them: the editor takes whatever it finds in these rows for its old prompt.
fn clear_prompt(editor: &Reedline, sign: &Sign) -> std::io::Result<()> {
    let columns = usize::from(crossterm::terminal::size()?.0.max(1));
    let text = editor.current_buffer_contents();
    let before = text.get(..editor.current_insertion_point()).unwrap_or(text);
    let margin = width_of(&sign.text());
    let rows = |text: &str| text.split('\n').map(|line| (margin + width_of(line)) / columns + 1).sum::<usize>();
    let above = match rows(before) - 1 {
        0 => String::new(),
        rows => format!("\x1b[{rows}A"),
    };
    let mut output = std::io::stdout();
    write!(output, "{above}\r\x1b[J{}", "\r\n".repeat(rows(text)))?;
    output.flush()
}

fn simple_line(sign: &Sign, draft: &str) -> std::io::Result<Read> {
    let mut output = std::io::stdout();
    write!(output, "{}{draft}", sign.text())?;
    output.flush()?;
    let mut text = draft.to_owned();
    loop {
        if std::io::stdin().lock().read_line(&mut text)? == 0 {
            return Ok(Read::End);
        }
        if !text.ends_with("\\\n") {
            return Ok(Read::Line(joined(text.trim_end_matches('\n'))));
        }
    }
}
