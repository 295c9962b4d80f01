//! Why an archive is not taken in.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use hermes_proto::{Explain, InvalidProfileName};

/// What is wrong with an archive. Nothing of it is left on the disk.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("the archive cannot be read: {0}")]
    Unreadable(io::Error),
    #[error("the archive ends in the middle of entry {entry:?}")]
    Truncated { entry: PathBuf },
    #[error("the archive has a description of an entry that is larger than {limit} bytes")]
    DescriptionTooLarge { limit: u64 },
    #[error("the archive has more than {limit} bytes after its end")]
    TrailingData { limit: u64 },
    #[error("the archive unpacks to more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the archive has more than {limit} entries")]
    TooManyEntries { limit: u64 },
    #[error("the archive holds no folder")]
    Empty,
    #[error("the archive holds {entry:?} outside of a folder")]
    NotInAFolder { entry: PathBuf },
    #[error("the archive holds more than one folder: {first:?} and {second:?}")]
    SecondFolder { first: OsString, second: OsString },
    #[error("the archive's folder does not name a profile: {0}")]
    Name(InvalidProfileName),
    #[error("entry {entry:?} of the archive leaves its folder")]
    Outside { entry: PathBuf },
    #[error("entry {entry:?} of the archive has a NUL byte in its name")]
    Nul { entry: PathBuf },
    #[error("entry {entry:?} of the archive lies behind a link or a file")]
    Behind { entry: PathBuf },
    #[error("entry {entry:?} of the archive is a link to {target:?}, outside of its folder")]
    LinkOutside { entry: PathBuf, target: PathBuf },
    #[error("entry {entry:?} of the archive is a hard link to {target:?}, which is no file of the archive")]
    HardLink { entry: PathBuf, target: PathBuf },
    #[error("entry {entry:?} of the archive is neither a file, a folder nor a link")]
    Special { entry: PathBuf },
    #[error("entry {entry:?} is in the archive twice")]
    Twice { entry: PathBuf },
}

impl Explain for ArchiveError {
    fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Name(_) => "name the new profile with --name",
            Self::Unreadable(_) | Self::Truncated { .. } => {
                "it has to be a complete tar.gz as written by hermes profile export"
            }
            Self::Empty | Self::NotInAFolder { .. } | Self::SecondFolder { .. } => {
                "an archive of a profile holds exactly one folder; see hermes profile export"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }
}
