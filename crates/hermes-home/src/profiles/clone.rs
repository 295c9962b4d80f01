//! Copying the settings of one home into a new one.
//!
//! What makes a home that home is not copied: logins (`auth.json`), conversations,
//! databases, logs and locks. Two homes with one refresh token log each other out.

use std::fmt;
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::layout::{PRIVATE_FILE, PRIVATE_FOLDER};
use super::tree::{self, Found, Kind, Visit};
use super::{ProfileError, link};

/// What a clone takes over.
pub const CLONED: [&str; 5] = ["config.yaml", ".env", "SOUL.md", "memories", "skills"];
const SECRET: &str = ".env";

/// Something that a clone left out although it was asked for.
#[derive(Debug)]
pub struct NotCopied {
    /// The path below the home.
    pub path: PathBuf,
    pub why: WhyNotCopied,
}

#[derive(Debug)]
pub enum WhyNotCopied {
    LinkOutside { target: PathBuf },
    Special,
}

impl fmt::Display for NotCopied {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            WhyNotCopied::LinkOutside { target } => {
                write!(formatter, "{path} was not copied: it is a link to {}, outside of the home", target.display())
            }
            WhyNotCopied::Special => write!(formatter, "{path} was not copied: it is neither a file nor a folder"),
        }
    }
}

/// Copies the settings found in `source`; missing ones are no error.
pub(super) fn copy_settings(source: &Path, target: &Path) -> Result<Vec<NotCopied>, ProfileError> {
    let is_setting = |relative: &Path| CLONED.iter().any(|setting| relative.starts_with(setting));
    let visit = |relative: &Path| if is_setting(relative) { Visit::Enter } else { Visit::Skip };
    let mut not_copied = Vec::new();
    for found in tree::walk(source, visit)? {
        match copy(source, target, &found)? {
            None => {}
            Some(why) => not_copied.push(NotCopied { path: found.relative, why }),
        }
    }
    Ok(not_copied)
}

fn copy(source: &Path, target: &Path, found: &Found) -> Result<Option<WhyNotCopied>, ProfileError> {
    let to = target.join(&found.relative);
    match &found.kind {
        Kind::Special => return Ok(Some(WhyNotCopied::Special)),
        Kind::Link(leads_to) if !link::stays_inside(link::depth(&found.relative), leads_to) => {
            return Ok(Some(WhyNotCopied::LinkOutside { target: leads_to.clone() }));
        }
        Kind::Link(leads_to) => std::os::unix::fs::symlink(leads_to, &to).map_err(ProfileError::at("create", &to))?,
        Kind::Folder => {
            let mode = found.mode | PRIVATE_FOLDER;
            DirBuilder::new().mode(mode).create(&to).map_err(ProfileError::at("create", &to))?;
        }
        Kind::File => copy_file(&source.join(&found.relative), &to, mode_of(found))?,
    }
    Ok(None)
}

fn mode_of(found: &Found) -> u32 {
    if found.relative == Path::new(SECRET) { found.mode & PRIVATE_FILE } else { found.mode }
}

fn copy_file(from: &Path, to: &Path, mode: u32) -> Result<(), ProfileError> {
    let mut reader = tree::open_file(from)?;
    let created = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(to);
    let mut writer = created.map_err(ProfileError::at("create", to))?;
    io::copy(&mut reader, &mut writer).map_err(ProfileError::at("copy", from))?;
    writer.set_permissions(Permissions::from_mode(mode)).map_err(ProfileError::at("set the mode of", to))
}
