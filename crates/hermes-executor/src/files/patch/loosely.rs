//! Finding a text that is not quoted exactly: ways of looking from strict to lax.
//!
//! Each compares whole lines, so that a short text is not found inside a longer word. The
//! first way that finds anything decides; if it finds several places, no laxer way can tell
//! them apart.

use std::borrow::Cow;
use std::path::Path;

use hermes_proto::executor::{FileProblem, PatchMode};

use super::edit::Edit;
use super::exact::Places;
use super::indentation::Indentations;
use super::lines::{Line, split};
use super::{exact, line_ends};
use crate::files::Operation;

/// A larger file is only searched exactly.
const LARGEST: usize = 2 * 1024 * 1024;
/// How much of a block must be as quoted when only its first and last line are.
const LOWEST_LIKENESS: f64 = 0.9;
/// A longer line is not compared character by character.
const LONGEST_COMPARED: usize = 1000;

/// What was found.
#[derive(Debug)]
pub(super) enum Outcome {
    /// One place, and in which way it is not exact.
    One(Edit, String),
    Several(Places),
    Nothing,
}

/// Looks for the only place that `old` can mean.
pub(super) fn find(
    file: &[u8],
    old: &str,
    new: &str,
    path: &Path,
    operation: &Operation<'_>,
) -> Result<Outcome, FileProblem> {
    if file.len() > LARGEST || old.trim().is_empty() {
        return Ok(Outcome::Nothing);
    }
    let search = Search { bytes: file, lines: split(file), old: split(old.as_bytes()), text: old, new };
    for way in Way::BY_LINES {
        operation.go_on(path)?;
        match search.windows(way).as_slice() {
            [] => {}
            [first] => return Ok(search.replace_lines(*first, way)),
            several => return Ok(Outcome::Several(search.places(several))),
        }
    }
    operation.go_on(path)?;
    Ok(match unescaped(file, old, new) {
        Outcome::Nothing => search.by_anchors(|| operation.go_on(path))?,
        found => found,
    })
}

/// In what two texts may differ and still be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    TrailingSpace,
    Indentation,
    SurroundingSpace,
    InnerSpace,
    Characters,
}

impl Way {
    const BY_LINES: [Self; 4] = [Self::TrailingSpace, Self::Indentation, Self::SurroundingSpace, Self::InnerSpace];

    /// A line without what may differ.
    fn reduced<'a>(self, line: &'a Line<'_>) -> Cow<'a, str> {
        match self {
            Self::TrailingSpace => Cow::Borrowed(line.text.trim_end()),
            Self::Indentation | Self::SurroundingSpace | Self::Characters => Cow::Borrowed(line.text.trim()),
            Self::InnerSpace => Cow::Owned(line.text.split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }

    fn note(self) -> &'static str {
        match self {
            Self::TrailingSpace => "matched although the white space at the end of lines differs",
            Self::Indentation => {
                "matched although the text is indented otherwise; the new text was indented like the file"
            }
            Self::SurroundingSpace => {
                "matched although lines are indented otherwise; check the indentation of the new text in the diff"
            }
            Self::InnerSpace => "matched although the white space inside lines differs; check the diff",
            Self::Characters => "matched although some characters differ, by the first and last line; check the diff",
        }
    }
}

struct Search<'a> {
    bytes: &'a [u8],
    lines: Vec<Line<'a>>,
    old: Vec<Line<'a>>,
    text: &'a str,
    new: &'a str,
}

impl Search<'_> {
    /// First lines of the windows that are the old text in this way.
    fn windows(&self, way: Way) -> Vec<usize> {
        let file: Vec<_> = self.lines.iter().map(|line| way.reduced(line)).collect();
        let old: Vec<_> = self.old.iter().map(|line| way.reduced(line)).collect();
        let fits = |first: &usize| {
            way != Way::Indentation || self.window(*first).is_some_and(|window| is_shifted(&self.old, window))
        };
        file.windows(old.len())
            .enumerate()
            .filter(|(_, window)| *window == old.as_slice())
            .map(|(first, _)| first)
            .filter(fits)
            .collect()
    }

    fn window(&self, first: usize) -> Option<&[Line<'_>]> {
        self.lines.get(first..first + self.old.len())
    }

    fn places(&self, windows: &[usize]) -> Places {
        let starts = windows.iter().filter_map(|first| self.lines.get(*first)).map(|line| line.range.start);
        Places { starts: starts.take(exact::MOST).collect(), count: windows.len() }
    }

    /// The lines become the new text, with the file's indentation and line ends.
    fn replace_lines(&self, first: usize, way: Way) -> Outcome {
        let Some(window) = self.window(first) else { return Outcome::Nothing };
        let (Some(start), Some(last)) = (window.first(), window.last()) else { return Outcome::Nothing };
        let Some(indentations) = Indentations::learn(&self.old, window) else { return Outcome::Nothing };
        let takes_end = self.text.ends_with('\n');
        let range = start.range.start..if takes_end { last.end } else { last.range.end };
        let mut new = indentations.apply(self.new);
        let replaced = self.bytes.get(range.clone()).unwrap_or_default();
        if takes_end && !replaced.ends_with(b"\n") && new.ends_with('\n') {
            new.pop();
        }
        let style = if replaced.contains(&b'\n') { replaced } else { self.bytes };
        if line_ends::is_crlf(style) && !new.contains('\r') {
            new = line_ends::with_crlf(&new).into_owned();
        }
        Outcome::One(Edit { range, new: new.into_bytes().into() }, way.note().to_owned())
    }

    /// A block whose first and last lines are as quoted, and nearly all between them.
    fn by_anchors(&self, go_on: impl Fn() -> Result<(), FileProblem>) -> Result<Outcome, FileProblem> {
        let [first, _, .., last] = self.old.as_slice() else { return Ok(Outcome::Nothing) };
        if first.is_blank() || last.is_blank() {
            return Ok(Outcome::Nothing);
        }
        let same =
            |one: Option<&Line<'_>>, other: &Line<'_>| one.is_some_and(|one| one.text.trim() == other.text.trim());
        let mut found = Vec::new();
        for (start, window) in self.lines.windows(self.old.len()).enumerate() {
            if same(window.first(), first) && same(window.last(), last) {
                go_on()?;
                if likeness(&self.old, window) >= LOWEST_LIKENESS {
                    found.push(start);
                }
            }
        }
        Ok(match found.as_slice() {
            [] => Outcome::Nothing,
            [only] => self.replace_lines(*only, Way::Characters),
            several => Outcome::Several(self.places(several)),
        })
    }
}

/// Whether the lines differ only by the same indentation in front of all of them.
fn is_shifted(old: &[Line<'_>], window: &[Line<'_>]) -> bool {
    let pairs = || old.iter().zip(window).filter(|(old, _)| !old.is_blank());
    let deeper =
        |one: &Line<'_>, other: &Line<'_>| other.indentation().strip_suffix(one.indentation()).map(str::to_owned);
    let all_same = |shifts: Vec<Option<String>>| {
        shifts.first().is_some_and(Option::is_some) && shifts.windows(2).all(|pair| pair.first() == pair.last())
    };
    all_same(pairs().map(|(old, file)| deeper(old, file)).collect())
        || all_same(pairs().map(|(old, file)| deeper(file, old)).collect())
}

/// How much of the lines is the same, from 0 to 1, by their length.
fn likeness(old: &[Line<'_>], window: &[Line<'_>]) -> f64 {
    let (mut same, mut all) = (0.0, 0.0);
    for (old, file) in old.iter().zip(window) {
        let (old, file) = (old.text.trim(), file.text.trim());
        let length = old.len().max(file.len());
        let alike = match old == file {
            true => 1.0,
            false if length > LONGEST_COMPARED => 0.0,
            false => strsim::normalized_levenshtein(old, file),
        };
        same += alike * length as f64;
        all += length as f64;
    }
    if all == 0.0 { 0.0 } else { same / all }
}

/// The text without one layer of escapes, found exactly.
fn unescaped(file: &[u8], old: &str, new: &str) -> Outcome {
    let (Some(old), new) = (unescape(old), unescape(new).unwrap_or_else(|| new.to_owned())) else {
        return Outcome::Nothing;
    };
    let (old, new) = line_ends::adapted(file, &old, &new);
    let places = exact::places(file, old.as_bytes(), PatchMode::Unique);
    match places.starts.as_slice() {
        [] => Outcome::Nothing,
        [start] => {
            let edit = Edit { range: *start..start + old.len(), new: new.as_bytes().into() };
            let note = "matched after one layer of backslash escapes was taken off the old and the new text";
            Outcome::One(edit, note.to_owned())
        }
        _ => Outcome::Several(places),
    }
}

/// `None` if there is nothing to take off.
fn unescape(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    let mut changed = false;
    while let Some(character) = characters.next() {
        let escaped = match (character, characters.clone().next()) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('t')) => '\t',
            ('\\', Some(quoted @ ('"' | '\'' | '`' | '\\'))) => quoted,
            _ => {
                result.push(character);
                continue;
            }
        };
        result.push(escaped);
        characters.next();
        changed = true;
    }
    changed.then_some(result)
}
