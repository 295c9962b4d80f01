//! Listing a folder: the first names in order, however many there are.

use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use hermes_proto::executor::{FileAnswer, FileEntry, FileKind, FileProblem, ListFiles};

use super::room::Room;
use super::{Operation, open, problem, shown};

/// Names that are held while the folder is read.
const MOST_ENTRIES: usize = 10_000;

pub(super) fn list(request: &ListFiles, operation: &Operation<'_>) -> Result<FileAnswer, FileProblem> {
    let path = operation.resolve(&request.path)?;
    let (names, total) = first_names(&path, request.limit.min(MOST_ENTRIES), operation)?;
    let mut room = Room::default();
    let entries = names
        .into_iter()
        .map(|name| describe(&path, &name))
        .take_while(|entry| room.take(&[&entry.name, entry.target.as_deref().unwrap_or_default()]))
        .collect();
    Ok(FileAnswer::Entries { entries, total })
}

/// The first `limit` names in order, and how many there are. Holds no more than it returns.
fn first_names(path: &Path, limit: usize, operation: &Operation<'_>) -> Result<(Vec<OsString>, usize), FileProblem> {
    let failed = |error| problem::from_io(path, "cannot be listed", &error);
    let mut first = BinaryHeap::new();
    let mut total = 0;
    for entry in fs::read_dir(path).map_err(failed)? {
        operation.go_on(path)?;
        first.push(entry.map_err(failed)?.file_name());
        total += 1;
        if first.len() > limit {
            first.pop();
        }
    }
    Ok((first.into_sorted_vec(), total))
}

/// An entry that vanished meanwhile is still told, as something unknown.
fn describe(folder: &Path, name: &OsString) -> FileEntry {
    let path = folder.join(name);
    let found = fs::symlink_metadata(&path).ok();
    let kind = found.as_ref().map_or(FileKind::Other, |found| open::kind_of(found.file_type()));
    let target = (kind == FileKind::Link).then(|| fs::read_link(&path).ok()).flatten();
    let shown = shown::name(name);
    FileEntry {
        name: shown.text,
        is_exact_name: shown.is_exact,
        kind,
        size: found.map_or(0, |found| found.len()),
        target: target.map(|target| shown::path(&target)),
    }
}
