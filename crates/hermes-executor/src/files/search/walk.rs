//! Walking a tree as ripgrep does, without what a hostile tree could do to it.
//!
//! Links are not followed, so there are no circles. What cannot be read is noted and passed
//! over. The number of entries is bounded, also of those that are held to be sorted. And because
//! the library reads every ignore file to its end, whatever it is, a folder whose `.gitignore`
//! is a pipe or endless is not entered.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_proto::executor::FileProblem;
use ignore::{DirEntry, WalkBuilder};

use crate::files::notes::Notes;
use crate::files::{Operation, problem, shown};

const MOST_ENTRIES: usize = 1_000_000;
/// Entries of one folder that are held to be sorted; a test makes no such folder.
const MOST_SORTED: usize = if cfg!(test) { 500 } else { 200_000 };
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];
const LARGEST_IGNORE_FILE: u64 = 256 * 1024;

/// Which way a tree is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// By name in each folder, so that two searches find in the same order.
    Sorted,
    /// As the folders give them, which needs no memory.
    Any,
}

/// Which names are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    Skipped,
    /// All but `.git`, which nobody means.
    Shown,
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WalkEnd {
    Complete,
    /// The visitor had enough, or the tree is larger than what is walked.
    Early,
}

/// Whether a visitor wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    Continue,
    Stop,
}

/// Calls `visit` for everything below `root` that is not a folder.
pub(super) fn walk(
    root: &Path,
    order: Order,
    hidden: Hidden,
    operation: &Operation<'_>,
    notes: &mut Notes,
    mut visit: impl FnMut(&DirEntry, &mut Notes) -> Result<Visit, FileProblem>,
) -> Result<WalkEnd, FileProblem> {
    let refused = Refused::default();
    let builder = prepare(root, order, hidden, &refused, notes);
    for (count, entry) in builder.build().enumerate() {
        operation.go_on(root)?;
        if count >= MOST_ENTRIES {
            notes.push(format!("only the first {MOST_ENTRIES} entries were looked at; search in a smaller folder"));
            return Ok(WalkEnd::Early);
        }
        refused.move_to(notes);
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {}
            Ok(entry) => {
                if visit(&entry, notes)? == Visit::Stop {
                    return Ok(WalkEnd::Early);
                }
            }
            Err(error) => notes.push(unreadable(&error)),
        }
    }
    refused.move_to(notes);
    Ok(WalkEnd::Complete)
}

fn prepare(root: &Path, order: Order, hidden: Hidden, refused: &Refused, notes: &mut Notes) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    // The user's own git configuration and .git/info/exclude are not the tree's: an answer
    // depends on what is searched, not on who runs this.
    builder.hidden(hidden == Hidden::Skipped).git_global(false).git_exclude(false).current_dir(root);
    if order == Order::Sorted && is_too_large(root) {
        notes.push(format!("the folder has more than {MOST_SORTED} entries, so the matches are in no order"));
    } else if order == Order::Sorted {
        builder.sort_by_file_name(Ord::cmp);
    }
    // The library looks at the folders above where a link leads to.
    let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    if let Some(bad) = real.ancestors().find_map(bad_ignore_file) {
        notes.push(format!("{} is not an ordinary small file; ignore files were not used", shown::path(&bad)));
        builder.ignore(false).git_ignore(false).parents(false);
    }
    let refused = refused.clone();
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !is_folder || (entry.file_name() != ".git" && refused.admits(entry.path(), order))
    });
    builder
}

fn is_too_large(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| entries.take(MOST_SORTED + 1).count() > MOST_SORTED)
}

/// An ignore file of this folder that must not be read to its end.
fn bad_ignore_file(folder: &Path) -> Option<PathBuf> {
    let is_bad =
        |path: &PathBuf| fs::metadata(path).is_ok_and(|found| !found.is_file() || found.len() > LARGEST_IGNORE_FILE);
    IGNORE_FILES.iter().map(|name| folder.join(name)).find(is_bad)
}

/// Folders that were not entered; the filter that finds them must be shareable.
#[derive(Debug, Clone, Default)]
struct Refused(Arc<Mutex<Notes>>);

impl Refused {
    /// Whether a folder can be entered; if not, why is noted.
    fn admits(&self, folder: &Path, order: Order) -> bool {
        let reason = match bad_ignore_file(folder) {
            Some(bad) => format!("{} is not an ordinary small file", shown::path(&bad)),
            None if order == Order::Sorted && is_too_large(folder) => {
                format!("it has more than {MOST_SORTED} entries; search in it alone")
            }
            None => return true,
        };
        let note = format!("{} was not searched: {reason}", shown::path(folder));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        false
    }

    fn move_to(&self, notes: &mut Notes) {
        let found = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        found.into_vec().into_iter().for_each(|note| notes.push(note));
    }
}

fn unreadable(error: &ignore::Error) -> String {
    let path = path_of(error).map_or_else(|| "something".to_owned(), shown::path);
    let reason = error.io_error().map_or_else(|| error.to_string(), problem::reason);
    format!("{path} was not searched: {reason}")
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
