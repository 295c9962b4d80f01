//! Folders that nobody else can enter, where the session's commands have their temporary files.

mod remove;

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

pub(crate) use remove::remove_folder;

/// Where they are made. Short, because a socket's path may have 107 bytes.
pub(crate) const BASES: [&str; 2] = ["/tmp", "/var/tmp"];

/// Makes one with a name that nobody can guess. It stays until somebody removes it.
pub(crate) fn make_folder(prefix: &str) -> io::Result<PathBuf> {
    let private = fs::Permissions::from_mode(0o700);
    let make =
        |base| tempfile::Builder::new().prefix(prefix).rand_bytes(12).permissions(private.clone()).tempdir_in(base);
    let [first, second] = BASES;
    Ok(make(first).or_else(|_| make(second))?.keep())
}
