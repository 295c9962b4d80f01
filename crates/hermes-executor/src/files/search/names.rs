//! Searching names: the newest files that match a glob.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hermes_proto::executor::{FileAnswer, FileProblem, SearchFiles};

use super::name_glob::NameGlob;
use super::walk::{Hidden, Order, Visit, WalkEnd, walk};
use crate::files::notes::Notes;
use crate::files::room::Room;
use crate::files::{Operation, Place, problem, shown};

/// Names that are held while the tree is walked, the newest ones.
const MOST_NAMES: usize = 10_000;

pub(in crate::files) fn search_names(
    request: &SearchFiles,
    operation: &Operation<'_>,
) -> Result<FileAnswer, FileProblem> {
    let root = operation.resolve(&request.path)?;
    let found = fs::metadata(&root).map_err(|error| problem::from_io(&root, "cannot be searched", &error))?;
    if !found.is_dir() {
        return Err(FileProblem::NotAFolder { path: shown::path(&root) });
    }
    let globs = globs(request, &root)?;
    let hidden = if globs.iter().any(NameGlob::wants_hidden) { Hidden::Shown } else { Hidden::Skipped };
    let mut notes = Notes::default();
    let mut newest = Newest::new(request.offset.saturating_add(request.limit));
    let end = walk(&root, Order::Any, hidden, operation, &mut notes, |entry, _| {
        let path = entry.path().strip_prefix(&root).unwrap_or(entry.path());
        if globs.iter().all(|glob| glob.is_match(path)) {
            newest.add(path, fs::symlink_metadata(entry.path()).and_then(|found| found.modified()).ok());
        }
        Ok(Visit::Continue)
    })?;
    let repeated = Place::repeated(&request.path, &root);
    Ok(answer(request, &repeated, newest, end, notes))
}

fn globs(request: &SearchFiles, root: &Path) -> Result<Vec<NameGlob>, FileProblem> {
    [Some(&request.pattern), request.file_glob.as_ref()]
        .into_iter()
        .flatten()
        .map(|glob| NameGlob::new(glob, root))
        .collect()
}

fn answer(request: &SearchFiles, root: &Path, newest: Newest, end: WalkEnd, mut notes: Notes) -> FileAnswer {
    let mut room = Room::default();
    let total = newest.total;
    let paths: Vec<String> = newest
        .into_names()
        .skip(request.offset)
        .take(request.limit)
        .map(|path| shown::path(&root.join(path)))
        .take_while(|path| room.take(&[path]))
        .collect();
    let shown = request.offset.saturating_add(paths.len());
    if total == 0 {
        notes.push("no name matches; hidden files and those that .gitignore names were left out");
    } else if paths.is_empty() && request.limit > 0 {
        notes.push(format!("there are only {} names to page through", total.min(MOST_NAMES)));
    }
    FileAnswer::Names { paths, total, is_cut: total > shown || end == WalkEnd::Early, notes: notes.into_vec() }
}

/// The newest files of those that were added; of the same age, the first by name.
struct Newest {
    /// The oldest one on top.
    kept: BinaryHeap<(Reverse<SystemTime>, OsString)>,
    most: usize,
    total: usize,
}

impl Newest {
    fn new(most: usize) -> Self {
        Self { kept: BinaryHeap::new(), most: most.min(MOST_NAMES), total: 0 }
    }

    fn add(&mut self, path: &Path, modified: Option<SystemTime>) {
        self.total += 1;
        self.kept.push((Reverse(modified.unwrap_or(SystemTime::UNIX_EPOCH)), path.as_os_str().to_owned()));
        if self.kept.len() > self.most {
            self.kept.pop();
        }
    }

    fn into_names(self) -> impl Iterator<Item = PathBuf> {
        self.kept.into_sorted_vec().into_iter().map(|(_, path)| PathBuf::from(path))
    }
}
