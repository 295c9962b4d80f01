//! Why there is no usable home, told so that a person can mend it.
//!
//! A home that cannot be opened must never look like a home that is empty: the
//! program would then ask to be set up again over the settings of somebody else.

use std::fmt;
use std::io;
use std::path::PathBuf;

use hermes_proto::{Explain, Fault, InvalidProfileName, ProfileName};

use crate::files::FileError;

/// Why there is no usable home.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("no home directory: neither HERMES_HOME nor HOME is set")]
    Nowhere,
    #[error("cannot make the relative home {} absolute: {source}", path.display())]
    Relative { path: PathBuf, source: io::Error },
    #[error("the home cannot be used: {0}")]
    Folder(FileError),
    #[error("cannot tell which profile is active: {0}")]
    UnreadableActive(FileError),
    #[error("the active profile named in {} is not usable: {source}", path.display())]
    InvalidActive { path: PathBuf, source: InvalidProfileName },
    #[error("profile {:?} does not exist{named_by}", name.as_str())]
    NoSuchProfile { name: ProfileName, named_by: NamedBy, alike: Vec<ProfileName> },
}

/// Who named a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedBy {
    CommandLine,
    /// HERMES_HOME points at the profile's folder.
    Environment,
    /// The file that holds the active profile's name.
    ActiveProfile(PathBuf),
}

impl fmt::Display for NamedBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => Ok(()),
            Self::Environment => formatter.write_str(", but HERMES_HOME points at it"),
            Self::ActiveProfile(file) => write!(formatter, ", but {} makes it the active one", file.display()),
        }
    }
}

impl Explain for HomeError {
    fn fault(&self) -> Fault {
        match self {
            Self::NoSuchProfile { named_by: NamedBy::CommandLine, .. } => Fault::Failed,
            _ => Fault::Configuration,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Nowhere => "set HERMES_HOME to a folder that only you can read".to_owned(),
            Self::Relative { .. } => "set HERMES_HOME to an absolute path".to_owned(),
            Self::Folder(error) | Self::UnreadableActive(error) => return error.hint(),
            Self::InvalidActive { .. } => "go back to the default home with: hermes profile use default".to_owned(),
            Self::NoSuchProfile { name, named_by, alike } => missing_hint(name, named_by, alike),
        })
    }
}

fn missing_hint(name: &ProfileName, named_by: &NamedBy, alike: &[ProfileName]) -> String {
    let back = match named_by {
        NamedBy::ActiveProfile(_) => "go back to the default home with: hermes profile use default; or ",
        NamedBy::CommandLine | NamedBy::Environment => "",
    };
    let mut hint = format!("{back}create it with: hermes profile create {name}");
    if !alike.is_empty() {
        let names: Vec<&str> = alike.iter().map(ProfileName::as_str).collect();
        hint.push_str(&format!(" (similar names: {})", names.join(", ")));
    }
    hint
}
