//! Patching: a piece of a file is replaced by another, and the difference is shown.
//!
//! A model quotes from memory: the white space is off, quotes are escaped once too often, a
//! character differs. Being too strict makes it try again and again; being too lax changes the
//! wrong place. So the strictest way of looking that finds anything must find exactly one
//! place, and anything but an exact match is said.
//!
//! The file is handled as bytes: what is not UTF-8 in it stays as it is.

mod difference;
mod edit;
mod exact;
mod indentation;
mod line_ends;
mod lines;
mod loosely;
mod nearest;

use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use hermes_proto::executor::{FileAnswer, FileProblem, PatchFile, PatchMode};

use self::edit::{Edit, applied};
use self::exact::Places;
use super::content_kind::{ContentKind, HEAD, content_kind};
use super::replace::Destination;
use super::{Operation, open, problem, shown};

/// A larger file is not held to be patched, and none is made.
const LARGEST: u64 = 16 * 1024 * 1024;

pub(super) fn patch(request: &PatchFile, operation: &Operation<'_>) -> Result<FileAnswer, FileProblem> {
    let path = operation.resolve(&request.path)?;
    let destination = Destination::find(&path)?;
    let before = match destination.exists() || !request.old.is_empty() {
        true => load(&path)?,
        false => Vec::new(),
    };
    let (edits, note) = edits(request, &before, &path, operation)?;
    let after = applied(&before, &edits, LARGEST).map_err(|size| FileProblem::TooLarge {
        path: shown::path(&path),
        size,
        limit: LARGEST,
    })?;
    if after == before && destination.exists() {
        return Err(FileProblem::Unchanged { path: shown::path(&path) });
    }
    operation.go_on(&path)?;
    let difference = difference::unified(&header(request, &destination), &before, &edits);
    let mut notes = destination.replace(&after)?;
    note.into_iter().chain(difference.note).for_each(|note| notes.push(note));
    Ok(FileAnswer::Patched {
        path: shown::path(destination.path()),
        diff: difference.text,
        places: edits.len(),
        notes: notes.into_vec(),
    })
}

/// The whole file, if it is text and not too large.
fn load(path: &Path) -> Result<Vec<u8>, FileProblem> {
    let (file, metadata) = open::open_regular(path)?;
    let too_large = |size| FileProblem::TooLarge { path: shown::path(path), size, limit: LARGEST };
    if metadata.len() > LARGEST {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| problem::from_io(path, "cannot be read", &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(bytes.len() as u64));
    }
    let looks_like = match content_kind(bytes.get(..HEAD).unwrap_or(&bytes)) {
        ContentKind::Text | ContentKind::MarkedText => return Ok(bytes),
        ContentKind::Utf16 => "UTF-16 text, which iconv can make UTF-8",
        ContentKind::Binary(looks_like) => looks_like,
    };
    Err(FileProblem::Binary { path: shown::path(path), size: metadata.len(), looks_like: looks_like.to_owned() })
}

/// The edits that the request means, and what has to be said about how they were found.
fn edits(
    request: &PatchFile,
    before: &[u8],
    path: &Path,
    operation: &Operation<'_>,
) -> Result<(Vec<Edit>, Option<String>), FileProblem> {
    let shown = || shown::path(path);
    if request.old.is_empty() {
        return match before.is_empty() {
            true => Ok((vec![Edit { range: 0..0, new: request.new.as_bytes().into() }], None)),
            false => Err(FileProblem::NothingToReplace { path: shown() }),
        };
    }
    if request.old == request.new {
        return Err(FileProblem::Unchanged { path: shown() });
    }
    let (old, new) = line_ends::adapted(before, &request.old, &request.new);
    let places = exact::places(before, old.as_bytes(), request.mode);
    let new: Rc<[u8]> = new.as_bytes().into();
    let edit = |start: usize| Edit { range: start..start + old.len(), new: Rc::clone(&new) };
    match (request.mode, places.count) {
        (PatchMode::All, exact::MOST..) => Err(too_many(path, places.count)),
        (PatchMode::All, 1..) | (PatchMode::Unique, 1) => Ok((places.starts.into_iter().map(edit).collect(), None)),
        (PatchMode::Unique, 2..) => Err(several(path, before, &places)),
        (PatchMode::All, 0) => Err(no_match(path, before, &request.old, operation)),
        (PatchMode::Unique, 0) => match loosely::find(before, &request.old, &request.new, path, operation)? {
            loosely::Outcome::One(edit, note) => Ok((vec![edit], Some(note))),
            loosely::Outcome::Several(places) => Err(several(path, before, &places)),
            loosely::Outcome::Nothing => Err(no_match(path, before, &request.old, operation)),
        },
    }
}

fn several(path: &Path, before: &[u8], places: &Places) -> FileProblem {
    const MOST_LINES: usize = 50;
    let lines = lines::numbers(before, places.starts.iter().copied().take(MOST_LINES));
    FileProblem::SeveralMatches { path: shown::path(path), places: places.count, lines }
}

fn too_many(path: &Path, count: usize) -> FileProblem {
    let detail = format!("the text to be replaced is there {count} times; use a command such as sed for so many");
    FileProblem::Other { path: shown::path(path), detail }
}

fn no_match(path: &Path, before: &[u8], old: &str, operation: &Operation<'_>) -> FileProblem {
    let nearest = nearest::nearest(before, old, || operation.cancellation.is_cancelled());
    FileProblem::NoMatch { path: shown::path(path), nearest }
}

/// The two lines above a difference.
fn header(request: &PatchFile, destination: &Destination) -> String {
    let name = shown::path(Path::new(request.path.trim_start_matches('/')));
    let old = if destination.exists() { format!("a/{name}") } else { "/dev/null".to_owned() };
    format!("--- {old}\n+++ b/{name}\n")
}
