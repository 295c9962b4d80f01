//! Output line by line: lines that stay, and a few live lines below them that are drawn again and again.
//!
//! The live lines go to standard error, and only if that is a terminal which can move its cursor.

use std::io::{self, IsTerminal, Write};

use hermes_proto::HostEnvironment;

use crate::error::TerminalError;
use crate::markdown::Page;
use crate::text::{Line, Paint, ansi, cut, width_of};
use crate::turn::Block;

/// Wider text is hard to read.
const WIDEST: usize = 120;
const USUAL: u16 = 80;

/// Where lines that stay go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stays {
    Output,
    /// Standard output is somebody's data.
    Errors,
}

#[derive(Debug)]
pub(crate) struct Screen {
    stays: Stays,
    pub(crate) paint: Paint,
    /// Whether live lines can be drawn.
    is_live: bool,
    /// The columns of each live line that is on the screen now.
    drawn: Vec<usize>,
}

impl Screen {
    /// For a chat: the answer goes to standard output.
    pub(crate) fn for_chat(host: &HostEnvironment) -> Self {
        let paint = Paint::of(host, &io::stdout());
        let is_live = paint != Paint::Nothing && io::stderr().is_terminal();
        Self { stays: Stays::Output, paint, is_live, drawn: Vec::new() }
    }

    /// For progress beside an answer: everything goes to standard error.
    pub(crate) fn for_progress(host: &HostEnvironment) -> Self {
        let paint = Paint::of(host, &io::stderr());
        Self { stays: Stays::Errors, paint, is_live: paint != Paint::Nothing, drawn: Vec::new() }
    }

    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    pub(crate) fn page(&self) -> Page {
        Page::new(self.columns().min(WIDEST), self.paint)
    }

    fn columns(&self) -> usize {
        usize::from(crossterm::terminal::size().map_or(USUAL, |(columns, _)| columns).max(1))
    }

    /// Adds to what stays.
    pub(crate) fn blocks(&mut self, blocks: &[Block]) -> Result<(), TerminalError> {
        let page = self.page();
        let lines: Vec<Line> = blocks.iter().flat_map(|block| block.lines(page)).collect();
        self.lines(&lines)
    }

    pub(crate) fn lines(&mut self, lines: &[Line]) -> Result<(), TerminalError> {
        if lines.is_empty() {
            return Ok(());
        }
        self.erase()?;
        let text: String = lines.iter().map(|line| ansi(line, self.paint) + "\n").collect();
        match self.stays {
            Stays::Output => written(&mut io::stdout().lock(), &text),
            Stays::Errors => written(&mut io::stderr().lock(), &text),
        }
    }

    /// Draws these live lines in place of the ones before.
    pub(crate) fn live(&mut self, lines: &[Line]) -> Result<(), TerminalError> {
        if !self.is_live {
            return Ok(());
        }
        let columns = self.columns();
        let mut text = self.erasing(columns);
        for line in lines {
            // The last column stays free: some terminals turn the line when it is filled.
            let line = cut(line, columns.saturating_sub(1));
            self.drawn.push(width_of(&line.text()));
            text.push_str(&ansi(&line, self.paint));
            text.push('\n');
        }
        self.write_live(&text)
    }

    /// Takes the live lines away.
    pub(crate) fn erase(&mut self) -> Result<(), TerminalError> {
        if self.drawn.is_empty() {
            return Ok(());
        }
        let text = self.erasing(self.columns());
        self.write_live(&text)
    }

    /// Moves to the first live line and clears from there. A line that was drawn on a wider terminal takes several rows now.
    fn erasing(&mut self, columns: usize) -> String {
        let rows: usize = self.drawn.drain(..).map(|width| width.div_ceil(columns).max(1)).sum();
        if rows == 0 { String::new() } else { format!("\x1b[{rows}A\r\x1b[J") }
    }

    fn write_live(&self, text: &str) -> Result<(), TerminalError> {
        if !self.is_live {
            return Ok(());
        }
        written(&mut io::stderr().lock(), text)
    }
}

fn written(output: &mut impl Write, text: &str) -> Result<(), TerminalError> {
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(TerminalError::Write)
}
