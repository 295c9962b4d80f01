//! Questions in the line chat: printed once, answered below.

use std::ops::ControlFlow;

use crossterm::event::KeyEvent;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::chat::LineChat;
use super::work::Attended;
use crate::approval::{Extent, Given, Keyed, answer_line, keys_line, question_lines};
use crate::error::TerminalError;
use crate::text::{Line, Tone};
use crate::tty::Left;
use crate::turn::{Block, Inbox, Narrator};

impl LineChat {
    /// Prints the question that is next, and takes notice of one that is gone.
    pub(super) fn put_question(&mut self) -> Result<(), TerminalError> {
        let Some(view) = self.desk.front() else {
            self.all_answered.cancel();
            return self.withdraw_question();
        };
        if self.printed == Some(view.number) {
            return self.put_keys();
        }
        let number = view.number;
        let lines = question_lines(view, self.desk.len(), Extent::Beginning);
        self.withdraw_question()?;
        self.attention.show(Some(number), Instant::now());
        self.printed = Some(number);
        self.has_keys_printed = false;
        self.print(lines)
    }

    /// Prints the keys once they count, where there are no live lines to show them in.
    fn put_keys(&mut self) -> Result<(), TerminalError> {
        let now = Instant::now();
        if self.needs_keys()
            && self.attention.is_armed(now)
            && let Some(view) = self.desk.front()
        {
            self.has_keys_printed = true;
            let line = keys_line(view, &self.attention, now);
            self.print(vec![line])?;
        }
        Ok(())
    }

    pub(super) fn needs_keys(&self) -> bool {
        !self.screen.is_live() && self.printed.is_some() && !self.has_keys_printed
    }

    /// A question that is on the screen and no longer waits was answered by nobody.
    pub(super) fn withdraw_question(&mut self) -> Result<(), TerminalError> {
        if self.printed.take().is_none() {
            return Ok(());
        }
        self.attention.show(None, Instant::now());
        self.screen.lines(&[Line::of("  not answered; nothing was approved", Tone::Alert)])
    }

    /// Whether the key was for the question.
    pub(super) fn answers_question(&mut self, key: KeyEvent) -> Result<bool, TerminalError> {
        let Some(view) = self.desk.front() else { return Ok(false) };
        match self.attention.key(view, key, Instant::now()) {
            Keyed::Elsewhere => return Ok(false),
            Keyed::Ignored => {}
            Keyed::ShowAll => {
                let lines = question_lines(view, self.desk.len(), Extent::All);
                self.print(lines)?;
            }
            Keyed::Answer(number, given) => self.give(number, given)?,
        }
        Ok(true)
    }

    pub(super) fn takes_paste(&mut self, text: &str) -> bool {
        let Some(view) = self.desk.front() else { return false };
        self.attention.paste(view, text, Instant::now()) != Keyed::Elsewhere
    }

    fn give(&mut self, number: u64, given: Given) -> Result<(), TerminalError> {
        self.printed = None;
        self.attention.show(None, Instant::now());
        self.screen.lines(&[answer_line(&given)])?;
        self.desk.answer(number, given);
        Ok(())
    }

    fn print(&mut self, lines: Vec<Line>) -> Result<(), TerminalError> {
        let blocks: Vec<Block> = lines.into_iter().map(|line| Block::Line { line, indent: 4 }).collect();
        self.screen.blocks(&blocks)
    }

    /// Puts the questions that wait while nothing runs.
    pub(super) async fn answer_questions(&mut self) -> Result<ControlFlow<Left>, TerminalError> {
        while self.desk.front().is_some() {
            self.all_answered = CancellationToken::new();
            let answered = self.all_answered.clone().cancelled_owned();
            let (inbox, cancellation) = (Inbox::default(), CancellationToken::new());
            let mut narrator = Narrator::new(Instant::now().into_std());
            let attended = self.attend(answered, &inbox, &cancellation, &mut narrator).await?;
            if let Attended::Left(left) = attended {
                return Ok(ControlFlow::Break(left));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
