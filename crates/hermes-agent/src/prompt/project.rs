//! Instructions that a project gives in files of its folder. The first kind that is found is used.
//!
//! A project is somebody else's text. A link in it may point at a key or at a pipe that never ends: a file is opened
//! without waiting, and only read if what was opened lies in the project.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::files::{LARGEST, cleaned};

/// Looked for in the folder and above it, up to the top of the repository.
const OWN: [&str; 2] = [".hermes.md", "HERMES.md"];
/// Looked for in the folder alone, in this order.
const OTHERS: [&str; 6] =
    ["AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".cursorrules", ".github/copilot-instructions.md"];
/// Folders above that are looked at.
const MOST_FOLDERS: usize = 32;

/// What the project says, or nothing.
pub(super) fn told(folder: &Path) -> String {
    let Ok(folder) = folder.canonicalize() else { return String::new() };
    let top = top_of_repository(&folder);
    let found = own(&folder, top.as_deref()).or_else(|| others(&folder, top.as_deref()));
    let Some((name, text)) = found else { return String::new() };
    format!("# Instructions of the project (from {name})\n{}", cleaned(&name, &text))
}

fn own(folder: &Path, top: Option<&Path>) -> Option<(String, String)> {
    let last = top.unwrap_or(folder);
    for place in folder.ancestors().take(MOST_FOLDERS) {
        let found = OWN.iter().find_map(|name| named(name, read_within(&place.join(name), last)));
        if found.is_some() || place == last {
            return found;
        }
    }
    None
}

fn others(folder: &Path, top: Option<&Path>) -> Option<(String, String)> {
    let within = top.unwrap_or(folder);
    OTHERS.iter().find_map(|name| named(name, read_within(&folder.join(name), within)))
}

/// A file that has something to say; one that cannot be read says that.
fn named(name: &str, read: io::Result<Option<String>>) -> Option<(String, String)> {
    let text = match read {
        Ok(text) => text?,
        Err(error) => format!("[{name} cannot be read: {error}]"),
    };
    (!text.trim().is_empty()).then(|| (name.to_owned(), without_front_matter(&text).to_owned()))
}

fn top_of_repository(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().take(MOST_FOLDERS).find(|place| place.join(".git").exists()).map(Path::to_owned)
}

/// The text of a regular file that lies within a folder; nothing for a link that leads out of it.
fn read_within(path: &Path, folder: &Path) -> io::Result<Option<String>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match open(path, flags, Mode::empty()) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    if FileType::from_raw_mode(fstat(&file)?.st_mode) != FileType::RegularFile || !lies_within(&file, folder)? {
        return Ok(None);
    }
    // Enough characters for the bound, whatever they are made of, so that a cut is seen as one.
    let most = u64::try_from(LARGEST * 8).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::from(file).take(most).read_to_end(&mut bytes)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether what was opened, not what its name says now, lies in the folder.
fn lies_within(file: &OwnedFd, folder: &Path) -> io::Result<bool> {
    let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    Ok(opened.starts_with(folder))
}

/// The text without the settings that some tools write at its top.
fn without_front_matter(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    rest.split_once("\n---\n").map_or(text, |(_, body)| body)
}
