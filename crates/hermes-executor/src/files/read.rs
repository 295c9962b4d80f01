//! Reading lines of a file.
//!
//! The file is streamed: the first lines of two gigabytes come at once, and no more than the
//! lines that are returned is held, whatever the file is.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use encoding_rs_io::DecodeReaderBytesBuilder;
use hermes_proto::executor::{FileAnswer, FileProblem, ReadFile};

use super::content_kind::{ContentKind, HEAD, content_kind};
use super::notes::Notes;
use super::read_lines::{Excerpt, LONGEST_LINE, Stop, read_lines};
use super::{Operation, open, problem, shown};

const BUFFER: usize = 64 * 1024;
const UTF8_MARK: usize = 3;

pub(super) fn read(request: &ReadFile, operation: &Operation<'_>) -> Result<FileAnswer, FileProblem> {
    let path = operation.resolve(&request.path)?;
    let (file, metadata) = open::open_regular(&path)?;
    let size = metadata.len();
    let (source, kind) = as_text(file, &path, size)?;
    let first_line = request.offset.max(1);
    let mut lines = BufReader::with_capacity(BUFFER, source);
    let excerpt = read_lines(&mut lines, first_line, request.limit, || operation.cancellation.is_cancelled()).map_err(
        |stop| match stop {
            Stop::Cancelled => FileProblem::Cancelled { path: shown::path(&path) },
            Stop::Failed(error) => problem::from_io(&path, "cannot be read", &error),
        },
    )?;
    let notes = notes(kind, first_line, &excerpt);
    Ok(FileAnswer::Text {
        content: excerpt.content,
        first_line,
        lines: excerpt.lines,
        total_lines: excerpt.total_lines,
        size,
        is_cut: excerpt.is_cut,
        notes,
    })
}

/// The file as a stream of text in UTF-8, or nearly; marks at its beginning are taken off.
fn as_text(mut file: File, path: &Path, size: u64) -> Result<(Box<dyn Read>, ContentKind), FileProblem> {
    let head = read_head(&mut file).map_err(|error| problem::from_io(path, "cannot be read", &error))?;
    let kind = content_kind(&head);
    let skipped = if kind == ContentKind::MarkedText { UTF8_MARK as u64 } else { 0 };
    let mut head = Cursor::new(head);
    head.set_position(skipped);
    let bytes = head.chain(file);
    match kind {
        ContentKind::Binary(looks_like) => {
            Err(FileProblem::Binary { path: shown::path(path), size, looks_like: looks_like.to_owned() })
        }
        ContentKind::Utf16 => Ok((Box::new(DecodeReaderBytesBuilder::new().build(bytes)), kind)),
        ContentKind::Text | ContentKind::MarkedText => Ok((Box::new(bytes), kind)),
    }
}

/// The first bytes of a file, for [`content_kind`].
pub(super) fn read_head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn notes(kind: ContentKind, first_line: usize, excerpt: &Excerpt) -> Vec<String> {
    let mut notes = Notes::default();
    match kind {
        ContentKind::Utf16 => notes.push("the file is UTF-16; it is shown decoded"),
        ContentKind::MarkedText => notes.push("the file begins with a UTF-8 byte order mark, which is not shown"),
        ContentKind::Text | ContentKind::Binary(_) => {}
    }
    if excerpt.has_replacements {
        notes.push("the file is not all UTF-8; each part that is not is shown as \u{fffd}");
    }
    if excerpt.has_nul {
        notes.push("the lines shown contain nul characters");
    }
    for line in &excerpt.cut_lines {
        notes.push(format!("line {line} is longer than {LONGEST_LINE} characters and was cut"));
    }
    if let Some(line) = excerpt.endless_line {
        notes.push(format!("line {line} is so long that its end was not looked for; use a command for what follows"));
    }
    match excerpt.total_lines {
        Some(total) if total < first_line && total > 0 => {
            notes.push(format!("the file has only {total} lines, so there is no line {first_line}"));
        }
        _ if excerpt.is_cut && excerpt.endless_line.is_none() => {
            notes.push(format!("the file goes on; continue with offset {}", first_line + excerpt.lines));
        }
        _ => {}
    }
    notes.into_vec()
}
