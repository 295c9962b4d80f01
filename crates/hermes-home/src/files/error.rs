//! What can go wrong with a file of the home, told so that it can be mended.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_proto::{Explain, Fault};
use rustix::fs::FileType;
use rustix::io::Errno;

use super::account::Account;
use super::lock::Holder;
use super::name::NameProblem;
use super::obstacle::{Need, Obstacle, quoted};
use super::read::LARGEST;

/// A failed read or change of one file. The old content is intact in every case but
/// [`FileError::NotSynced`], where the new one is in place already.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{name:?} does not name a file of the home: {problem}")]
    Name { name: String, problem: NameProblem },
    #[error("the home {} does not exist", home.display())]
    NoHome { home: PathBuf },
    #[error("the lock {} was not free within {} s{}; nothing was changed", lock.display(), waited.as_secs(), told(holder.as_ref()))]
    Locked { lock: PathBuf, holder: Option<Holder>, waited: Duration },
    #[error("{} keeps being replaced while it is opened; nothing was changed", path.display())]
    Unstable { path: PathBuf },
    #[error("{} leads to {}, which is outside the home {}; nothing was changed", link.display(), target.display(), home.display())]
    LeavesHome { link: PathBuf, target: PathBuf, home: PathBuf },
    #[error("{} leads to {}, and on to too many other links", link.display(), target.display())]
    LinkLoop { link: PathBuf, target: PathBuf },
    #[error("the lock {} is a symbolic link to {}; nothing was changed", lock.display(), target.display())]
    LinkedLock { lock: PathBuf, target: PathBuf },
    #[error("{} is {kind}, not a regular file", path.display())]
    NotAFile { path: PathBuf, kind: FileKind },
    #[error("{} is {kind}, not a folder", path.display())]
    NotAFolder { path: PathBuf, kind: FileKind },
    #[error("{} has {size} bytes, more than the {LARGEST} that such a file may have", path.display())]
    TooLarge { path: PathBuf, size: u64 },
    #[error("cannot {step} {}: {source}{}{}", path.display(), blamed(obstacle.as_deref()), step.aftermath())]
    Denied { step: Step, path: PathBuf, obstacle: Option<Box<Obstacle>>, source: io::Error },
    #[error("cannot keep {owner} and group {group} as the owner of {}: {source}; nothing was changed", path.display())]
    OwnerNotKept { path: PathBuf, owner: Account, group: u32, source: io::Error },
    #[error("cannot {step} {}: the disk is full: {source}{}", path.display(), step.aftermath())]
    DiskFull { step: Step, path: PathBuf, source: io::Error },
    #[error("cannot {step} {}: the file system is read-only: {source}{}", path.display(), step.aftermath())]
    ReadOnly { step: Step, path: PathBuf, source: io::Error },
    #[error("cannot {step} {}: it is a mount of its own: {source}; nothing was changed", path.display())]
    MountPoint { step: Step, path: PathBuf, source: io::Error },
    #[error("{} was changed, but a power failure may still undo that: cannot sync its folder: {source}", path.display())]
    NotSynced { path: PathBuf, source: io::Error },
    #[error("cannot {step} {}: {source}{}", path.display(), step.aftermath())]
    Io { step: Step, path: PathBuf, source: io::Error },
}

/// What was being done when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    OpenFolder,
    CreateFolder,
    ListFolder,
    SyncFolder,
    FollowLink,
    OpenLock,
    TakeLock,
    Read,
    CreateTemporary,
    Write,
    SetOwner,
    SetMode,
    SetAccessList,
    Sync,
    Replace,
    Remove,
}

/// What stands where something else was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    File,
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
    Unknown,
}

impl FileError {
    /// The error of a system call: the general ones get a variant that says what to do.
    pub(super) fn at(step: Step, path: PathBuf, error: Errno) -> Self {
        let source = io::Error::from(error);
        match error {
            Errno::ACCESS | Errno::PERM => {
                let obstacle = Obstacle::find(&path, step.need()).map(Box::new);
                Self::Denied { step, path, obstacle, source }
            }
            Errno::NOSPC | Errno::DQUOT => Self::DiskFull { step, path, source },
            Errno::ROFS => Self::ReadOnly { step, path, source },
            Errno::BUSY if matches!(step, Step::Replace | Step::Remove) => Self::MountPoint { step, path, source },
            _ => Self::Io { step, path, source },
        }
    }

    /// The error of a call of the standard library.
    pub(super) fn io(step: Step, path: PathBuf, source: io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(error) => Self::at(step, path, error),
            None => Self::Io { step, path, source },
        }
    }
}

impl Explain for FileError {
    fn fault(&self) -> Fault {
        match self {
            Self::Name { .. } => Fault::Usage,
            Self::Locked { .. } | Self::Unstable { .. } => Fault::TryAgain,
            Self::NoHome { .. }
            | Self::LeavesHome { .. }
            | Self::LinkLoop { .. }
            | Self::LinkedLock { .. }
            | Self::NotAFile { .. }
            | Self::NotAFolder { .. }
            | Self::TooLarge { .. }
            | Self::Denied { .. }
            | Self::OwnerNotKept { .. }
            | Self::MountPoint { .. } => Fault::Configuration,
            Self::DiskFull { .. } | Self::ReadOnly { .. } | Self::NotSynced { .. } | Self::Io { .. } => Fault::Failed,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Name { .. } => Some("name it relative to the home, such as memories/MEMORY.md".to_owned()),
            Self::NoHome { home } => Some(format!("mkdir -m 700 {}", quoted(home))),
            Self::Locked { holder: Some(Holder { pid, .. }), .. } => {
                Some(format!("let process {pid} finish, or end it if it hangs"))
            }
            Self::Locked { holder: None, .. } | Self::Unstable { .. } => Some("try again in a moment".to_owned()),
            Self::LeavesHome { link, home, .. } => Some(format!(
                "put the file itself in place of {}, or move what it leads to into {}",
                quoted(link),
                quoted(home)
            )),
            Self::LinkLoop { link, .. } => Some(format!("remove the link {}", quoted(link))),
            Self::LinkedLock { lock, .. } => Some(format!("rm {}", quoted(lock))),
            Self::NotAFile { path, .. } | Self::NotAFolder { path, .. } => {
                Some(format!("move {} out of the way", quoted(path)))
            }
            Self::Denied { obstacle, .. } => obstacle.as_ref().map(|obstacle| obstacle.remedy()),
            Self::OwnerNotKept { path, owner, .. } => {
                let actor = Account::current().for_chown();
                Some(format!("run this as {owner}, or hand the file over: sudo chown {actor} {}", quoted(path)))
            }
            Self::DiskFull { path, .. } => Some(format!("make room: df -h {}", parent(path))),
            Self::ReadOnly { path, .. } => {
                Some(format!("mount it writable; findmnt -T {} shows where it comes from", parent(path)))
            }
            Self::MountPoint { path, .. } => Some(format!("mount the folder {} instead of the one file", parent(path))),
            Self::TooLarge { .. } | Self::NotSynced { .. } | Self::Io { .. } => None,
        }
    }
}

impl Step {
    /// What a refusal of this step is to be blamed on.
    fn need(self) -> Need {
        match self {
            Self::OpenFolder
            | Self::ListFolder
            | Self::SyncFolder
            | Self::FollowLink
            | Self::OpenLock
            | Self::TakeLock
            | Self::Read => Need::Entry,
            Self::CreateFolder
            | Self::CreateTemporary
            | Self::Write
            | Self::SetOwner
            | Self::SetMode
            | Self::SetAccessList
            | Self::Sync
            | Self::Replace
            | Self::Remove => Need::Folder,
        }
    }

    /// What the failure means for the file; a failed read leaves no doubt.
    fn aftermath(self) -> &'static str {
        match self {
            Self::Read | Self::OpenFolder => "",
            _ => "; nothing was changed",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OpenFolder => "open the folder",
            Self::CreateFolder => "create the folder",
            Self::ListFolder => "list the folder",
            Self::SyncFolder => "sync the folder",
            Self::FollowLink => "look up",
            Self::OpenLock => "open the lock",
            Self::TakeLock => "take the lock",
            Self::Read => "read",
            Self::CreateTemporary => "create a temporary file for",
            Self::Write => "write the new content of",
            Self::SetOwner => "set the owner of the new",
            Self::SetMode => "set the mode of the new",
            Self::SetAccessList => "set the access list of the new",
            Self::Sync => "sync the new content of",
            Self::Replace => "replace",
            Self::Remove => "remove",
        })
    }
}

impl FileKind {
    /// What a path leads to.
    pub(super) fn at(path: &Path) -> Self {
        rustix::fs::stat(path).map_or(Self::Unknown, |stat| Self::of(stat.st_mode))
    }

    pub(super) fn of(mode: u32) -> Self {
        match FileType::from_raw_mode(mode) {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Pipe,
            FileType::Socket => Self::Socket,
            FileType::CharacterDevice | FileType::BlockDevice => Self::Device,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::File => "a file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::Unknown => "of unknown kind",
        })
    }
}

fn told(holder: Option<&Holder>) -> String {
    holder.map(|holder| format!("; {holder}")).unwrap_or_default()
}

fn blamed(obstacle: Option<&Obstacle>) -> String {
    obstacle.map(|obstacle| format!("; {obstacle}")).unwrap_or_default()
}

fn parent(path: &Path) -> String {
    quoted(path.parent().unwrap_or(path))
}
