//! How much a folder takes on the disk.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A workspace may hold millions of files; nobody waits for all of them.
const MOST_ENTRIES: usize = 200_000;
const BLOCK: u64 = 512;

/// Bytes on disk, of at most so many entries. What cannot be seen counts as nothing; links are
/// not followed.
pub fn disk_use(folder: &Path) -> u64 {
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    let (mut bytes, mut seen) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_ENTRIES {
                return bytes;
            }
            let Ok(metadata) = entry.metadata() else { continue };
            bytes += metadata.blocks() * BLOCK;
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    bytes
}
