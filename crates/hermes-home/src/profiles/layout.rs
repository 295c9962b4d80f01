//! What every profile has from its first moment.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::ProfileError;

const FOLDERS: [&str; 10] =
    ["cron", "home", "hooks", "logs", "memories", "plans", "sessions", "skills", "skins", "workspace"];
pub(super) const PRIVATE_FOLDER: u32 = 0o700;
pub(super) const PRIVATE_FILE: u32 = 0o600;

const SOUL_FILE: &str = "SOUL.md";
const SOUL: &str = include_str!("SOUL.md");

/// Adds the standard folders and the default personality where they are missing.
pub fn complete(home: &Path) -> Result<(), ProfileError> {
    for folder in FOLDERS {
        let path = home.join(folder);
        let made = DirBuilder::new().mode(PRIVATE_FOLDER).create(&path);
        unless_present(made).map_err(ProfileError::at("create", &path))?;
    }
    let path = home.join(SOUL_FILE);
    unless_present(write_new(&path, SOUL.as_bytes())).map_err(ProfileError::at("write", &path))
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path)?.write_all(content)
}

fn unless_present(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome,
    }
}
