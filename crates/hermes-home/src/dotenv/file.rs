//! A `.env` in memory: its variables, and edits that leave every other line alone.

use std::collections::BTreeMap;

use hermes_proto::{Explain, Fault};

use super::parse::{self, Assignment, Piece, is_name};
use super::problem::{Problem, What};
use super::quote::quote;

/// The content of a `.env` file.
#[derive(Clone, Default)]
pub struct EnvFile {
    pieces: Vec<Piece>,
    problems: Vec<Problem>,
}

/// Why a variable cannot be set or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("{0:?} is not a variable's name: letters, digits and _ are allowed, and no digit first")]
    Name(String),
    #[error("the value for {name} holds a NUL character, which no variable can")]
    Nul { name: String },
    #[error("changing {name} would change what other lines of .env mean, because of line {line}")]
    Entangled { name: String, line: usize },
}

impl Explain for EditError {
    fn fault(&self) -> Fault {
        match self {
            Self::Name(_) | Self::Nul { .. } => Fault::Usage,
            Self::Entangled { .. } => Fault::Configuration,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Entangled { line, .. } => Some(format!("close the quote on line {line} of .env, then try again")),
            Self::Name(_) | Self::Nul { .. } => None,
        }
    }
}

impl EnvFile {
    pub fn parse(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }

    /// Never fails: what cannot be understood is kept and reported by `problems`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (pieces, problems) = parse::pieces(bytes);
        Self { pieces, problems }
    }

    /// The value of a variable; of several lines with its name the last one counts.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.assignments().rfind(|one| one.name == name).map(|one| one.value.as_str())
    }

    /// Each variable once with the value that counts, in the file's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let last = self.last_pieces();
        self.pieces
            .iter()
            .enumerate()
            .filter_map(|(index, piece)| Some((index, piece.assignment.as_ref()?)))
            .filter(move |(index, one)| last.get(one.name.as_str()) == Some(index))
            .map(|(_, one)| (one.name.as_str(), one.value.as_str()))
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Sets a variable in the last line that has it, else in a new line at the end.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), EditError> {
        if !is_name(name) {
            return Err(EditError::Name(name.to_owned()));
        }
        if value.contains('\0') {
            return Err(EditError::Nul { name: name.to_owned() });
        }
        if self.get(name) == Some(value) {
            return Ok(());
        }
        let mut pieces = self.raw_pieces();
        match self.last_pieces().get(name).copied() {
            Some(index) => pieces[index] = self.rewritten(index, value),
            None => pieces.push(self.appended(name, value)),
        }
        self.replace(name, Some(value), &pieces.concat())
    }

    /// Removes every line that sets the variable; answers whether there was one.
    pub fn unset(&mut self, name: &str) -> Result<bool, EditError> {
        if !is_name(name) {
            return Err(EditError::Name(name.to_owned()));
        }
        if self.get(name).is_none() {
            return Ok(false);
        }
        let sets_it = |piece: &&Piece| piece.assignment.as_ref().is_some_and(|one| one.name == name);
        let kept: Vec<_> = self.pieces.iter().filter(|piece| !sets_it(piece)).map(|piece| piece.raw.clone()).collect();
        self.replace(name, None, &kept.concat())?;
        Ok(true)
    }

    /// The file's text; bytes that are not UTF-8 are shown as replacement characters.
    pub fn render(&self) -> String {
        String::from_utf8_lossy(&self.to_bytes()).into_owned()
    }

    /// The file's content: for a file that was not edited, exactly what was read.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.raw_pieces().concat()
    }

    fn assignments(&self) -> impl DoubleEndedIterator<Item = &Assignment> {
        self.pieces.iter().filter_map(|piece| piece.assignment.as_ref())
    }

    fn raw_pieces(&self) -> Vec<Vec<u8>> {
        self.pieces.iter().map(|piece| piece.raw.clone()).collect()
    }

    /// For each variable the piece that counts.
    fn last_pieces(&self) -> BTreeMap<&str, usize> {
        let named = self.pieces.iter().enumerate();
        named.filter_map(|(index, piece)| Some((piece.assignment.as_ref()?.name.as_str(), index))).collect()
    }

    fn rewritten(&self, index: usize, value: &str) -> Vec<u8> {
        let Some(piece) = self.pieces.get(index) else { return Vec::new() };
        let Some(old) = piece.assignment.as_ref() else { return piece.raw.clone() };
        let glue = if old.trail.starts_with(b"#") { " " } else { "" };
        let assignment = format!("{}={}{glue}", old.name, quote(value));
        [old.lead.as_slice(), assignment.as_bytes(), old.trail.as_slice()].concat()
    }

    fn appended(&self, name: &str, value: &str) -> Vec<u8> {
        let line_end = self.line_end();
        let unfinished = self.pieces.iter().rfind(|piece| !is_mark(piece)).is_some_and(|piece| !ends_line(&piece.raw));
        let before = if unfinished { line_end } else { "" };
        format!("{before}{name}={}{line_end}", quote(value)).into_bytes()
    }

    /// The line end this file uses.
    fn line_end(&self) -> &'static str {
        let first = self.pieces.iter().find(|piece| ends_line(&piece.raw));
        if first.is_some_and(|piece| piece.raw.ends_with(b"\r\n")) { "\r\n" } else { "\n" }
    }

    /// Takes the new content if it changes this one variable and no other. An open
    /// quote further up can make a new line part of an old value, or the reverse.
    fn replace(&mut self, name: &str, value: Option<&str>, bytes: &[u8]) -> Result<(), EditError> {
        let changed = Self::from_bytes(bytes);
        let mut expected: BTreeMap<&str, &str> = self.iter().collect();
        match value {
            Some(value) => expected.insert(name, value),
            None => expected.remove(name),
        };
        if changed.iter().collect::<BTreeMap<_, _>>() != expected {
            return Err(EditError::Entangled { name: name.to_owned(), line: self.line_of_open_quote() });
        }
        *self = changed;
        Ok(())
    }

    fn line_of_open_quote(&self) -> usize {
        let open = |problem: &&Problem| matches!(problem.what, What::UnterminatedQuote | What::TextAfterQuote);
        self.problems.iter().find(open).map_or(1, |problem| problem.line)
    }
}

/// Names only: the values are secrets.
impl std::fmt::Debug for EnvFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("EnvFile")
            .field("names", &self.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("problems", &self.problems)
            .finish()
    }
}

fn ends_line(raw: &[u8]) -> bool {
    raw.ends_with(b"\n") || raw.ends_with(b"\r")
}

/// The byte order mark is the only piece that is not a line.
fn is_mark(piece: &Piece) -> bool {
    piece.raw == "\u{feff}".as_bytes()
}
