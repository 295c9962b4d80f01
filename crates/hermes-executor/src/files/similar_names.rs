//! Names that are there, for one that is not.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::shown;

/// Entries of a folder that are looked at; a suggestion is not worth more.
const MOST_ENTRIES: usize = 10_000;
const MOST_SUGGESTIONS: usize = 5;
const LOWEST_LIKENESS: f64 = 0.8;

/// Existing paths like this missing one, the most similar first.
///
/// The first part that does not exist is looked for in its folder; where the rest of the path
/// exists below a similar name, the whole path is suggested.
pub(super) fn of(path: &Path) -> Vec<String> {
    let Some(missing) = first_missing(path) else { return Vec::new() };
    let (Some(folder), Some(name)) = (missing.parent(), missing.file_name()) else { return Vec::new() };
    let rest = path.strip_prefix(missing).unwrap_or(Path::new(""));
    similar_entries(folder, name)
        .iter()
        .map(|entry| {
            let candidate = folder.join(entry);
            let whole = candidate.join(rest);
            shown::path(if rest.as_os_str().is_empty() || !whole.exists() { &candidate } else { &whole })
        })
        .collect()
}

fn first_missing(path: &Path) -> Option<&Path> {
    let mut parts: Vec<&Path> = path.ancestors().collect();
    parts.reverse();
    parts.into_iter().find(|part| !part.exists())
}

fn similar_entries(folder: &Path, name: &OsStr) -> Vec<OsString> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let wanted = name.to_string_lossy().to_lowercase();
    let mut found: Vec<(f64, OsString)> = entries
        .take(MOST_ENTRIES)
        .flatten()
        .map(|entry| entry.file_name())
        .map(|entry| (likeness(&wanted, &entry), entry))
        .filter(|(likeness, _)| *likeness >= LOWEST_LIKENESS)
        .collect();
    found.sort_by(|(one, first), (other, second)| other.total_cmp(one).then_with(|| first.cmp(second)));
    found.truncate(MOST_SUGGESTIONS);
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// 1 for the same name in other letters, or with another ending; less for a mistyped one.
fn likeness(wanted: &str, entry: &OsStr) -> f64 {
    let entry = entry.to_string_lossy().to_lowercase();
    let stem = |name: &str| PathBuf::from(name).file_stem().map(OsStr::to_owned);
    if entry == wanted || stem(&entry) == stem(wanted) {
        return 1.0;
    }
    let is_one_slip = wanted.chars().count() > 2 && strsim::osa_distance(wanted, &entry) == 1;
    if is_one_slip { 0.95 } else { strsim::jaro_winkler(wanted, &entry) }
}
