//! From what the kernel said to what a model can act on.
//!
//! `ENOENT` alone makes a model guess; the names that are there make it right the second
//! time. A permission error says whose file it is and who asked, and is never told as "missing".

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use hermes_proto::executor::FileProblem;
use rustix::io::Errno;
use rustix::process::geteuid;

use super::{shown, similar_names};

/// The problem that an error on `path` is; `failed` says what was tried.
pub(super) fn from_io(path: &Path, failed: &str, error: &io::Error) -> FileProblem {
    let shown = shown::path(path);
    match error.kind() {
        ErrorKind::NotFound => FileProblem::NotFound { path: shown, similar: similar_names::of(path) },
        ErrorKind::NotADirectory => FileProblem::NotAFolder { path: shown::path(in_the_way(path)) },
        ErrorKind::IsADirectory => {
            FileProblem::NotAFile { path: shown, kind: hermes_proto::executor::FileKind::Folder }
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            let detail = format!("{failed}: {}{}", reason(error), owner(path));
            FileProblem::NotPermitted { path: shown, detail }
        }
        _ if Errno::from_io_error(error) == Some(Errno::LOOP) => {
            FileProblem::Other { path: shown, detail: format!("{failed}: symbolic links lead in a circle") }
        }
        ErrorKind::WouldBlock => FileProblem::Other { path: shown, detail: format!("{failed}: it gives nothing now") },
        _ => FileProblem::Other { path: shown, detail: format!("{failed}: {}", reason(error)) },
    }
}

/// An error's text in the middle of a sentence, without the path that a library put around it.
pub(super) fn reason(error: &io::Error) -> String {
    let text =
        kernel_error(error).map_or_else(|| error.to_string(), |code| io::Error::from_raw_os_error(code).to_string());
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn kernel_error(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or_else(|| {
        let source = error.get_ref()?.source()?;
        kernel_error(source.downcast_ref()?)
    })
}

/// The part of a path that should be a folder and is not.
fn in_the_way(path: &Path) -> &Path {
    path.ancestors().find(|part| fs::metadata(part).is_ok_and(|found| !found.is_dir())).unwrap_or(path)
}

/// Whose the nearest thing is that can be looked at, and who looks.
fn owner(path: &Path) -> String {
    let seen = path.ancestors().find_map(|part| fs::metadata(part).ok().map(|found| (part, found)));
    let Some((part, found)) = seen else { return String::new() };
    let what = if part == path { "it".to_owned() } else { shown::path(part) };
    let (user, mode, own) = (found.uid(), found.mode() & 0o7777, geteuid().as_raw());
    format!("; {what} belongs to user {user} with mode {mode:04o}, and this is user {own}")
}

#[cfg(test)]
mod tests {
    use std::io;

    #[test]
    fn a_reason_fits_into_a_sentence() {
        let check = |error: io::Error, expected: &str| assert_eq!(super::reason(&error), expected);
        check(io::Error::from_raw_os_error(13), "permission denied");
        check(io::Error::from_raw_os_error(28), "no space left on device");
        check(io::Error::other("Broken"), "broken");
        check(io::Error::other(""), "");
    }
}
