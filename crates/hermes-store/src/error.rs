//! What can go wrong with the store, told so that it can be mended.

use std::io;
use std::path::{Path, PathBuf};

use hermes_home::files::{FileError, Obstacle, quoted};
use hermes_proto::{Explain, Fault};
use rusqlite::ErrorCode;

use crate::denied::obstacle;

/// A failed use of the store. A transaction that failed changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot create the store")]
    Create(#[source] FileError),
    #[error("{} is there without the store it belongs to; nothing was changed", log.display())]
    LogAlone { log: PathBuf },
    #[error("cannot lay out a new store")]
    LayOut(#[source] rusqlite::Error),
    #[error("the store {} is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("cannot look at the store {}", path.display())]
    Look { path: PathBuf, source: io::Error },
    #[error("the store {} is damaged: {problem}; nothing was changed", path.display())]
    Damaged { path: PathBuf, problem: String },
    #[error("{} is a database of another program; nothing was changed", path.display())]
    Foreign { path: PathBuf },
    #[error("the store {} has layout {found}, and this version of hermes knows up to {known}", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("cannot bring the store {} from layout {from} to {to}", path.display())]
    Migrate { path: PathBuf, from: i64, to: i64, source: rusqlite::Error },
    #[error("the store {} was not free in time; nothing was changed", path.display())]
    Busy { path: PathBuf },
    #[error("no permission to use the store {}{}", path.display(), blamed(obstacle.as_deref()))]
    Denied { path: PathBuf, obstacle: Option<Box<Obstacle>>, source: rusqlite::Error },
    #[error("the disk of the store {} is full: {source}", path.display())]
    DiskFull { path: PathBuf, source: rusqlite::Error },
    #[error("the audit chain in {} was tampered with: its end and its entries disagree; nothing was changed", path.display())]
    ChainBroken { path: PathBuf },
    #[error("cannot {what} in the store {}", path.display())]
    Query { what: &'static str, path: PathBuf, source: rusqlite::Error },
    #[error("cannot write what was read from the store")]
    Output(#[source] io::Error),
}

impl StoreError {
    /// An error of SQLite: the general ones get a variant that says what to do.
    pub(crate) fn of(what: &'static str, path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Damaged { path, problem: source.to_string() }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy { path },
            Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                Self::Denied { obstacle: obstacle(&path), path, source }
            }
            Some(ErrorCode::DiskFull) => Self::DiskFull { path, source },
            _ => Self::Query { what, path, source },
        }
    }
}

impl Explain for StoreError {
    fn fault(&self) -> Fault {
        match self {
            Self::Create(error) => error.fault(),
            Self::Busy { .. } => Fault::TryAgain,
            Self::LogAlone { .. }
            | Self::NotAFile { .. }
            | Self::Damaged { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::ChainBroken { .. }
            | Self::Denied { .. } => Fault::Configuration,
            Self::LayOut(_)
            | Self::Look { .. }
            | Self::Migrate { .. }
            | Self::DiskFull { .. }
            | Self::Query { .. }
            | Self::Output(_) => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Create(error) => error.hint(),
            Self::LogAlone { log } => {
                Some(format!("put the store back beside it, or move {} away to start anew", quoted(log)))
            }
            Self::NotAFile { path } | Self::Foreign { path } => Some(format!("move {} out of the way", quoted(path))),
            Self::Damaged { path, .. } => Some(format!(
                "put a backup in its place, or move {} aside with its -wal and -shm files to start anew",
                quoted(path)
            )),
            Self::Newer { .. } => Some("use the newer hermes that wrote it".to_owned()),
            Self::Busy { .. } => Some("another hermes is writing; try again in a moment".to_owned()),
            Self::Denied { obstacle, .. } => obstacle.as_ref().map(|obstacle| obstacle.remedy()),
            Self::ChainBroken { .. } => Some("hermes audit verify".to_owned()),
            Self::DiskFull { path, .. } => {
                Some(format!("make room: df -h {}", quoted(path.parent().unwrap_or(path.as_path()))))
            }
            Self::LayOut(_) | Self::Look { .. } | Self::Migrate { .. } | Self::Query { .. } | Self::Output(_) => None,
        }
    }
}

fn blamed(obstacle: Option<&Obstacle>) -> String {
    obstacle.map(|obstacle| format!("; {obstacle}")).unwrap_or_default()
}
