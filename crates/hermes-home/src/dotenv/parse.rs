//! Cutting the text of a `.env` into pieces: assignments and everything else.
//!
//! The rules are python-dotenv's, with four differences. A comment after an empty
//! value is no value. A closing quote after `\\` or at the end of `'C:\'` is found
//! even when more quotes follow further down. A line that sets nothing loses itself,
//! not the lines below it. `${NAME}` is not expanded: a value is what was written.

use super::decode::Decoded;
use super::problem::{Problem, What};
use super::scan::{Found, find_assignment, line_end};

/// The byte order mark that some editors put first.
const MARK: char = '\u{feff}';

/// A stretch of whole lines of the file.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) raw: Vec<u8>,
    pub(super) assignment: Option<Assignment>,
}

/// What a piece sets, and what surrounds the value in its line.
#[derive(Clone)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) value: String,
    /// Indentation and `export`.
    pub(super) lead: Vec<u8>,
    /// Comment and line end.
    pub(super) trail: Vec<u8>,
}

/// All pieces of a file, in order; put together again they are the file.
pub(super) fn pieces(bytes: &[u8]) -> (Vec<Piece>, Vec<Problem>) {
    let decoded = Decoded::new(bytes);
    let mut cutter = Cutter { decoded: &decoded, at: 0, line: 1, pieces: Vec::new(), problems: Vec::new() };
    cutter.cut_mark();
    while cutter.at < decoded.text().len() {
        cutter.cut_line();
    }
    (cutter.pieces, cutter.problems)
}

/// Whether a variable can have this name: `[A-Za-z_][A-Za-z0-9_]*`.
pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
}

struct Cutter<'a> {
    decoded: &'a Decoded<'a>,
    at: usize,
    line: usize,
    pieces: Vec<Piece>,
    problems: Vec<Problem>,
}

impl Cutter<'_> {
    /// The mark is a piece of its own, so that removing the first line keeps it.
    fn cut_mark(&mut self) {
        if self.decoded.text().starts_with(MARK) {
            self.cut(MARK.len_utf8(), None);
        }
    }

    fn cut_line(&mut self) {
        let text = self.decoded.text();
        let found = find_assignment(text, self.at).unwrap_or_else(|what| {
            self.report(what);
            None
        });
        let end = line_end(text, found.as_ref().map_or(self.at, |found| found.written.end));
        if self.decoded.is_damaged(&(self.at..end)) {
            self.report(What::NotUtf8);
        }
        let assignment = found.and_then(|found| self.accept(found, end));
        self.cut(end, assignment);
    }

    fn accept(&mut self, found: Found, end: usize) -> Option<Assignment> {
        let name = &self.decoded.text()[found.name];
        if !is_name(name) {
            self.report(What::InvalidName);
            return None;
        }
        if found.value.contains('\0') {
            self.report(What::Nul);
            return None;
        }
        if found.refers {
            self.report(What::LiteralReference);
        }
        Some(Assignment {
            name: name.to_owned(),
            value: found.value,
            lead: self.decoded.raw(self.at..found.lead_end).to_owned(),
            trail: self.decoded.raw(found.written.end..end).to_owned(),
        })
    }

    fn cut(&mut self, end: usize, assignment: Option<Assignment>) {
        let raw = self.decoded.raw(self.at..end).to_owned();
        let lines = count_line_ends(&self.decoded.text()[self.at..end]);
        self.pieces.push(Piece { raw, assignment });
        self.line += lines;
        self.at = end;
    }

    fn report(&mut self, what: What) {
        self.problems.push(Problem { line: self.line, what });
    }
}

fn count_line_ends(text: &str) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < text.len() {
        at = line_end(text, at);
        count += usize::from(text[..at].ends_with(['\n', '\r']));
    }
    count
}
