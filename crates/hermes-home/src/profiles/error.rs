//! What can go wrong with a profile.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hermes_proto::{Explain, Fault, ProfileName};

use super::archive::ArchiveError;
use crate::files::{Account, FileError, Obstacle};
use crate::home::HomeError;

/// A profile that could not be made, changed, removed, packed or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error("profile {:?} already exists", name.as_str())]
    Exists { name: ProfileName },
    #[error("a gateway of profile {:?} is running", name.as_str())]
    GatewayRuns { name: ProfileName },
    #[error("cannot {step} {}: {source}", path.display())]
    Io { step: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot {step} {}: {source}; {obstacle}", path.display())]
    Denied { step: &'static str, path: PathBuf, obstacle: Box<Obstacle>, source: io::Error },
    #[error("{} changed while it was being read", path.display())]
    Changed { path: PathBuf },
    #[error("{} exists already", path.display())]
    OutputExists { path: PathBuf },
    #[error("cannot write the archive: {0}")]
    Output(io::Error),
    #[error("cannot change the active profile: {0}")]
    Active(FileError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl ProfileError {
    /// Turns the error of one step on one path into ours; for `map_err`.
    pub(super) fn at(step: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let path = path.to_owned();
            match obstacle(&path) {
                Some(obstacle) if source.kind() == io::ErrorKind::PermissionDenied => {
                    Self::Denied { step, path, obstacle: Box::new(obstacle), source }
                }
                _ => Self::Io { step, path, source },
            }
        }
    }
}

/// Whose the nearest thing is that can be seen on the way to a path.
fn obstacle(path: &Path) -> Option<Obstacle> {
    let (path, metadata) = path.ancestors().find_map(|path| Some((path, path.symlink_metadata().ok()?)))?;
    Some(Obstacle {
        path: path.to_owned(),
        is_folder: metadata.is_dir(),
        owner: Account::of(metadata.uid()),
        mode: metadata.mode() & 0o7777,
        actor: Account::current(),
    })
}

impl Explain for ProfileError {
    fn fault(&self) -> Fault {
        match self {
            Self::Home(error) => error.fault(),
            Self::Active(error) => error.fault(),
            Self::GatewayRuns { .. } | Self::Changed { .. } => Fault::TryAgain,
            _ => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Home(error) => error.hint(),
            Self::Active(error) => error.hint(),
            Self::Archive(error) => error.hint(),
            Self::Exists { .. } => Some("see which there are with: hermes profile list".to_owned()),
            Self::GatewayRuns { name } => Some(format!("stop it first with: hermes -p {name} gateway stop")),
            Self::Changed { .. } => Some("stop what writes there, then try again".to_owned()),
            Self::OutputExists { .. } => Some("replace it with --force, or name another file with -o".to_owned()),
            Self::Denied { obstacle, .. } => Some(obstacle.remedy()),
            Self::Io { path, source, .. } => disk_hint(path, source),
            Self::Output(_) => None,
        }
    }
}

fn disk_hint(path: &Path, source: &io::Error) -> Option<String> {
    let folder = path.parent().unwrap_or(path).display();
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(format!("make room: df -h {folder}")),
        io::ErrorKind::ReadOnlyFilesystem => Some("the disk is mounted read-only: mount it writable".to_owned()),
        _ => None,
    }
}
