//! The unified difference that edits make, bounded in size.
//!
//! Comparing two whole files to find what is known already would cost memory by the file; so
//! only the lines around each edit are compared.

use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use super::edit::{Edit, applied};

const CONTEXT: usize = 3;
/// Characters of a difference that are shown.
const LONGEST: usize = 20_000;
/// Bytes of a stretch that are compared.
const LARGEST_STRETCH: usize = 1024 * 1024;
/// Then a difference may be larger than it needs to be; it is still right.
const LONGEST_COMPARISON: Duration = Duration::from_millis(500);

/// A difference as text, and what has to be said about it.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) text: String,
    pub(super) note: Option<String>,
}

/// The difference that `edits`, in order, make to `before`.
pub(super) fn unified(header: &str, before: &[u8], edits: &[Edit]) -> Difference {
    let mut writer = Writer { text: header.to_owned(), left: LONGEST, is_full: false };
    let mut position = Position::default();
    let mut rest = edits;
    while let ([first, others @ ..], false) = (rest, writer.is_full) {
        let (stretch, count) = next_stretch(before, first, others);
        let (inside, later) = rest.split_at(count);
        position.move_to(before, stretch.shown.start);
        position.added += compare(before, &stretch, inside, &position, &mut writer);
        rest = later;
    }
    let note = writer.is_full.then(|| "the diff is cut; the file was changed as a whole".to_owned());
    Difference { text: writer.text, note }
}

/// Where in the old text the comparison is, and how many lines the new one is ahead there.
#[derive(Debug, Default)]
struct Position {
    byte: usize,
    line: usize,
    added: isize,
}

impl Position {
    fn move_to(&mut self, before: &[u8], byte: usize) {
        self.line += line_count(before.get(self.byte..byte).unwrap_or_default());
        self.byte = byte;
    }
}

fn line_count(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// Lines that edits change, with the lines around them that are shown.
#[derive(Debug)]
struct Stretch {
    changed: Range<usize>,
    shown: Range<usize>,
}

impl Stretch {
    fn around(before: &[u8], edit: &Edit) -> Self {
        let changed = line_start(before, edit.range.start, 0)..line_end(before, edit.range.end, 0);
        let shown = line_start(before, edit.range.start, CONTEXT)..line_end(before, edit.range.end, CONTEXT);
        Self { changed, shown }
    }

    /// Whether an edit is so near that the lines around it are shown already.
    fn reaches(&self, before: &[u8], edit: &Edit) -> bool {
        let gap = before.get(self.shown.end..edit.range.start).unwrap_or_default();
        memchr::memchr_iter(b'\n', gap).nth(CONTEXT).is_none()
    }

    fn extend_to(&mut self, before: &[u8], place: usize) {
        self.changed.end = line_end(before, place, 0);
        self.shown.end = line_end(before, place, CONTEXT);
    }
}

/// The lines around the first edits that are so near to each other that they share their
/// context, and how many edits those are. Looks at no byte more than a few times, though
/// there may be thousands of edits in one line of megabytes.
fn next_stretch(before: &[u8], first: &Edit, others: &[Edit]) -> (Stretch, usize) {
    let mut stretch = Stretch::around(before, first);
    let mut last = first;
    let mut count = 1;
    for edit in others {
        if stretch.shown.len() > LARGEST_STRETCH || !stretch.reaches(before, edit) {
            break;
        }
        let is_lower = line_count(before.get(last.range.end..edit.range.end).unwrap_or_default()) > 0;
        if is_lower {
            stretch.extend_to(before, edit.range.end);
        }
        last = edit;
        count += 1;
    }
    (stretch, count)
}

/// Where the line begins that is this many lines above a place.
fn line_start(text: &[u8], place: usize, above: usize) -> usize {
    let before = text.get(..place).unwrap_or_default();
    memchr::memrchr_iter(b'\n', before).nth(above).map_or(0, |end| end + 1)
}

/// Where the line ends that is this many lines below a place.
fn line_end(text: &[u8], place: usize, below: usize) -> usize {
    let after = text.get(place..).unwrap_or_default();
    memchr::memchr_iter(b'\n', after).nth(below).map_or(text.len(), |end| place + end + 1)
}

/// Writes the hunks of one stretch, and says how many lines longer it became.
fn compare(before: &[u8], stretch: &Stretch, edits: &[Edit], position: &Position, writer: &mut Writer) -> isize {
    let part = |range: Range<usize>| before.get(range).unwrap_or_default();
    let Stretch { changed, shown } = stretch;
    let moved = edits.iter().map(|edit| Edit {
        range: edit.range.start - changed.start..edit.range.end - changed.start,
        new: Rc::clone(&edit.new),
    });
    let old = part(changed.clone());
    let new = applied(old, &moved.collect::<Vec<_>>(), LARGEST_STRETCH as u64);
    let (Ok(new), true) = (new, shown.len() <= LARGEST_STRETCH) else {
        writer.is_full = true;
        return 0;
    };
    let (old, new) = (lines(old), lines(&new));
    let above = lines(part(shown.start..changed.start));
    let below = lines(part(changed.end..shown.end));
    let deadline = Instant::now().checked_add(LONGEST_COMPARISON);
    let steps = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let steps = with_context(steps, above.len(), below.len(), old.len(), new.len());
    let (old, new) = ([&above[..], &old, &below].concat(), [&above[..], &new, &below].concat());
    for hunk in group_diff_ops(steps, CONTEXT) {
        writer.hunk(&hunk, &old, &new, position);
    }
    new.len().cast_signed() - old.len().cast_signed()
}

/// Puts equal lines around the steps. Compared with these, a change might slide into them, and
/// then `patch` would take the short context for the end of the file.
fn with_context(steps: Vec<DiffOp>, above: usize, below: usize, old: usize, new: usize) -> Vec<DiffOp> {
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let mut all = vec![equal(0, 0, above)];
    let moved = steps.into_iter().map(|step| match step {
        DiffOp::Equal { old_index, new_index, len } => equal(old_index + above, new_index + above, len),
        DiffOp::Delete { old_index, old_len, new_index } => {
            DiffOp::Delete { old_index: old_index + above, old_len, new_index: new_index + above }
        }
        DiffOp::Insert { old_index, new_index, new_len } => {
            DiffOp::Insert { old_index: old_index + above, new_index: new_index + above, new_len }
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => {
            DiffOp::Replace { old_index: old_index + above, old_len, new_index: new_index + above, new_len }
        }
    });
    for step in moved.chain([equal(above + old, above + new, below)]) {
        match (all.last_mut(), step) {
            (Some(DiffOp::Equal { len, .. }), DiffOp::Equal { len: more, .. }) => *len += more,
            (_, step) => all.push(step),
        }
    }
    all.retain(|step| !matches!(step, DiffOp::Equal { len: 0, .. }));
    all
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

struct Writer {
    text: String,
    left: usize,
    is_full: bool,
}

impl Writer {
    fn hunk(&mut self, steps: &[DiffOp], old: &[&[u8]], new: &[&[u8]], position: &Position) {
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return };
        if self.is_full {
            return;
        }
        let old_part = first.old_range().start..last.old_range().end;
        let new_part = first.new_range().start..last.new_range().end;
        let new_line = position.line.saturating_add_signed(position.added);
        let header = format!("@@ -{} +{} @@\n", part(position.line, &old_part), part(new_line, &new_part));
        self.push(&header);
        for change in steps.iter().flat_map(|step| step.iter_changes(old, new)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            self.line(sign, change.value());
        }
    }

    fn line(&mut self, sign: char, line: &[u8]) {
        let mut text = String::from(sign);
        text.push_str(&String::from_utf8_lossy(line));
        if !line.ends_with(b"\n") {
            text.push_str("\n\\ No newline at end of file\n");
        }
        self.push(&text);
    }

    /// Whole lines as long as they fit.
    fn push(&mut self, text: &str) {
        match self.left.checked_sub(text.chars().count()) {
            Some(left) if !self.is_full => {
                self.left = left;
                self.text.push_str(text);
            }
            _ => self.is_full = true,
        }
    }
}

/// A range of lines as a hunk's header writes it: an empty one is after the line it names.
fn part(offset: usize, lines: &Range<usize>) -> String {
    let mut text = String::new();
    let start = offset + lines.start;
    // Writing to a string cannot fail.
    let _ = match lines.len() {
        0 => write!(text, "{start},0"),
        1 => write!(text, "{}", start + 1),
        length => write!(text, "{},{length}", start + 1),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::{Edit, unified};

    fn headers(changed: &[usize], new: &str) -> String {
        let before: String = (1..=40).map(|number| format!("{number:02}\n")).collect();
        let edits: Vec<_> =
            changed.iter().map(|line| Edit { range: (line - 1) * 3..line * 3, new: new.as_bytes().into() }).collect();
        let text = unified("", before.as_bytes(), &edits).text;
        text.lines().filter(|line| line.starts_with('@')).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hunks_are_where_the_lines_are() {
        let check = |changed: &[usize], new: &str, expected: &str| {
            assert_eq!(headers(changed, new), expected, "{changed:?}");
        };
        check(&[20], "x\n", "@@ -17,7 +17,7 @@");
        check(&[1], "", "@@ -1,4 +1,3 @@");
        check(&[40], "x\ny\n", "@@ -37,4 +37,5 @@");
        check(&[10, 17], "x\n", "@@ -7,14 +7,14 @@");
        check(&[10, 18], "x\n", "@@ -7,7 +7,7 @@ @@ -15,7 +15,7 @@");
        check(&[5, 20, 35], "x\ny\nz\n", "@@ -2,7 +2,9 @@ @@ -17,7 +19,9 @@ @@ -32,7 +36,9 @@");
        check(&[5, 20, 35], "", "@@ -2,7 +2,6 @@ @@ -17,7 +16,6 @@ @@ -32,7 +30,6 @@");
    }

    #[test]
    fn a_flood_of_edits_in_one_line_is_not_compared_again_and_again() {
        let line = "a".repeat(900_000);
        let edits: Vec<_> =
            (0..90_000).map(|place| Edit { range: place * 10..place * 10 + 1, new: b"b"[..].into() }).collect();
        let difference = unified("", line.as_bytes(), &edits);
        assert!(difference.note.is_some() && difference.text.len() < 1000);
    }
}
