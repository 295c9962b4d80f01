//! Folding lines to a width, in columns of a terminal rather than characters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Line, Piece};

/// Columns that text takes.
pub(crate) fn width_of(text: &str) -> usize {
    text.width()
}

/// The line, cut so that it fits, with a sign where something is missing.
pub(crate) fn cut(line: &Line, width: usize) -> Line {
    if line_width(line) <= width {
        return line.clone();
    }
    let mut room = width.saturating_sub(1);
    let mut pieces = Vec::new();
    for piece in &line.0 {
        let end = fitting(piece.text(), room);
        pieces.push(piece.part(0..end));
        room -= width_of(&piece.text()[..end]);
        if end < piece.text().len() {
            break;
        }
    }
    if width > 0 {
        pieces.push(Piece::new("…", pieces.last().map(Piece::ink).unwrap_or_default()));
    }
    Line(pieces)
}

/// Folds pieces into lines of at most `width` columns, at spaces where there are any. `first` stands before the first
/// line, `rest` before the others.
pub(crate) fn wrap(pieces: &[Piece], width: usize, first: &Line, rest: &Line) -> Vec<Line> {
    let mut folding = Folding {
        width: width.max(1),
        rest,
        lines: Vec::new(),
        line: first.clone(),
        used: line_width(first),
        fresh: true,
    };
    for piece in pieces {
        for word in words(piece.text()) {
            folding.add(&piece.part(word));
        }
    }
    folding.finish()
}

struct Folding<'a> {
    width: usize,
    rest: &'a Line,
    lines: Vec<Line>,
    line: Line,
    used: usize,
    /// Nothing but the prefix is on the line.
    fresh: bool,
}

impl Folding<'_> {
    /// Adds one word or one run of spaces.
    fn add(&mut self, word: &Piece) {
        let wide = width_of(word.text());
        let is_space = word.text().starts_with(' ');
        if self.used + wide <= self.width {
            if !(self.fresh && is_space && !self.lines.is_empty()) {
                self.push(word.clone(), wide);
            }
        } else if is_space {
            self.turn();
        } else if wide <= self.width.saturating_sub(line_width(self.rest)) {
            self.turn();
            self.push(word.clone(), wide);
        } else {
            self.split(word);
        }
    }

    /// A word that fits on no line is cut wherever the line ends.
    fn split(&mut self, word: &Piece) {
        let mut start = 0;
        while start < word.text().len() {
            let end = start + fitting(&word.text()[start..], self.width.saturating_sub(self.used));
            if end == start && !self.fresh {
                self.turn();
                continue;
            }
            // A prefix that leaves no room, or a character wider than the line: it overflows rather than being lost.
            let end =
                if end == start { start + word.text()[start..].chars().next().map_or(1, char::len_utf8) } else { end };
            let part = word.part(start..end);
            let wide = width_of(part.text());
            self.push(part, wide);
            start = end;
        }
    }

    fn push(&mut self, piece: Piece, wide: usize) {
        self.used += wide;
        self.fresh = false;
        self.line.0.push(piece);
    }

    fn turn(&mut self) {
        // A space at the end of a line would only be copied along.
        if !self.fresh && self.line.0.last().is_some_and(|piece| piece.text().starts_with(' ')) {
            self.line.0.pop();
        }
        self.lines.push(std::mem::replace(&mut self.line, self.rest.clone()));
        self.used = line_width(self.rest);
        self.fresh = true;
    }

    fn finish(mut self) -> Vec<Line> {
        if !self.fresh || self.lines.is_empty() {
            self.lines.push(self.line);
        }
        self.lines
    }
}

pub(super) fn line_width(line: &Line) -> usize {
    line.0.iter().map(|piece| width_of(piece.text())).sum()
}

/// How many bytes of the text fit into this many columns.
fn fitting(text: &str, columns: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > columns {
            return at;
        }
    }
    text.len()
}

/// The words of a text and the runs of spaces between them.
fn words(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let is_space = rest.starts_with(' ');
        let length = rest.find(|character: char| (character == ' ') != is_space).unwrap_or(rest.len());
        let range = start..start + length;
        start = range.end;
        Some(range)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Tone;
    use super::{Line, Piece, cut, width_of, wrap};

    #[track_caller]
    fn check(text: &str, width: usize, expected: &[&str]) {
        let lines = wrap(&[Piece::new(text, Tone::Plain)], width, &Line::plain("- "), &Line::plain("  "));
        let lines: Vec<String> = lines.iter().map(Line::text).collect();
        assert_eq!(lines, expected, "{text:?} at {width}");
    }

    #[test]
    fn text_is_folded_at_spaces_and_cut_where_there_are_none() {
        check("", 10, &["- "]);
        check("one two three", 20, &["- one two three"]);
        check("one two three", 10, &["- one two", "  three"]);
        check("onetwothreefour", 7, &["- onetw", "  othre", "  efour"]);
        check("a onetwothreefour", 7, &["- a one", "  twoth", "  reefo", "  ur"]);
        check("漢字漢字", 6, &["- 漢字", "  漢字"]);
        check("ab", 1, &["- a", "  b"]);
    }

    #[test]
    fn a_cut_line_fits_and_says_that_it_was_cut() {
        for (text, width, expected) in
            [("hello", 5, "hello"), ("hello", 4, "hel…"), ("漢字漢字", 5, "漢字…"), ("hello", 1, "…"), ("hello", 0, "")]
        {
            let line = cut(&Line::plain(text), width).text();
            assert_eq!(line, expected);
            assert!(width_of(&line) <= width);
        }
    }
}
