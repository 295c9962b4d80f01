//! The entry point: what has to be done as root, then root is gone.
//!
//! Everything after the drop, the scanner of PID 1 included, runs as the user hermes. So neither a
//! slot that hermes writes nor a hole in a gateway ever runs something as root.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hermes_proto::{Explain, Fault, HostEnvironment};
use hermes_sandbox::privilege::{self, PrivilegeError};
use hermes_sandbox::process;
use rustix::fs::{Gid, Uid, fchown};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{geteuid, getpid};
use rustix::stdio::{stderr, stdin, stdout};

use super::account::{Account, AccountError};
use super::{ownership, services};
use crate::places::{DATA, PROGRAM, Places, USER, data_folder};

/// More services than anybody has profiles.
const MOST_SERVICES: &str = "2000";

/// Why a container did not start.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    #[error(transparent)]
    Account(#[from] AccountError),
    #[error("the container was started as user {uid}, and only root and {USER} (user {expected}) can start it")]
    ForeignUser { uid: u32, expected: u32 },
    #[error("root cannot become {USER}: {0}")]
    Drop(PrivilegeError),
    #[error("cannot {action} {}: {source}", path.display())]
    Folder { action: &'static str, path: PathBuf, source: io::Error },
    #[error("cannot start {}: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("cannot watch over the main program: {0}")]
    Keep(io::Error),
}

impl Explain for BootError {
    fn fault(&self) -> Fault {
        Fault::Failed
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::ForeignUser { .. } => Some(
                "leave --user out and choose the user of the files with -e HERMES_UID=… -e HERMES_GID=… (or PUID and PGID)"
                    .to_owned(),
            ),
            Self::Drop(_) => {
                Some(format!("start the container with --user {USER}, or let it keep the capabilities SETUID and SETGID"))
            }
            Self::Folder { path, .. } if path.starts_with("/run") => {
                Some("a container with a read-only root needs --tmpfs /run".to_owned())
            }
            _ => None,
        }
    }
}

/// Does the entry point's duties and becomes the scanner, or the main program where there can be no
/// scanner. Returns only if that failed; `warn` is told what a person should know.
pub fn enter(
    environment: &HostEnvironment,
    words: &[OsString],
    warn: &dyn Fn(&dyn std::fmt::Display),
) -> Result<std::convert::Infallible, BootError> {
    let places = Places::of_image();
    let account = Account::current()?;
    let uid = geteuid().as_raw();
    let supervised = getpid().is_init();
    if uid == 0 {
        let account = as_root(account, environment, &places, warn)?;
        privilege::become_user(&account.identity()?).map_err(BootError::Drop)?;
    } else if uid != account.uid {
        return Err(BootError::ForeignUser { uid, expected: account.uid });
    } else if supervised {
        empty_run(&places, None)?;
    }
    let environment = with_home(environment);
    if !supervised {
        warn(&"hermes is not the first process of this container: gateways and dashboard are not supervised");
        return run_unsupervised(&environment, words);
    }
    supervise(&environment, words, &places)
}

fn as_root(
    image: Account,
    environment: &HostEnvironment,
    places: &Places,
    warn: &dyn Fn(&dyn std::fmt::Display),
) -> Result<Account, BootError> {
    let account = image.asked(environment);
    let data = data_folder(environment);
    std::fs::create_dir_all(&data).map_err(at("create", &data))?;
    if account != image {
        account.write().iter().for_each(|problem| warn(problem));
    }
    for left in ownership::repair(&data, account) {
        warn(&left);
    }
    empty_run(places, Some(account))?;
    give_standard_streams(account);
    Ok(account)
}

/// `docker restart` keeps /run: what the last boot left there is lies by now.
fn empty_run(places: &Places, owner: Option<Account>) -> Result<(), BootError> {
    for folder in [&places.scan, &places.state] {
        // As hermes only the content can be removed, not the folder itself.
        clear(folder).map_err(at("clear", folder))?;
        if let Some(account) = owner {
            give(folder, account).map_err(at("hand over", folder))?;
        }
    }
    Ok(())
}

/// Asked for only where it is needed: a container may be without the right to change owners.
fn give(folder: &Path, account: Account) -> io::Result<()> {
    let metadata = folder.symlink_metadata()?;
    if (metadata.uid(), metadata.gid()) == (account.uid, account.gid) {
        return Ok(());
    }
    chown(folder, Some(account.uid), Some(account.gid))
}

fn clear(folder: &Path) -> io::Result<()> {
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Err(_) if folder.is_symlink() => return Err(io::Error::from(io::ErrorKind::NotADirectory)),
        _ => {}
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => std::fs::remove_dir_all(entry.path())?,
            false => std::fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// So that hermes can open /dev/stdout and its terminal again. Docker does the same for --user.
fn give_standard_streams(account: Account) {
    for stream in [stdin(), stdout(), stderr()] {
        // A stream that cannot change hands, /dev/null on a read-only root, is good as it is.
        let is_null = rustix::fs::fstat(stream).is_ok_and(|stat| stat.st_rdev == rustix::fs::makedev(1, 3));
        if !is_null {
            let _ = fchown(stream, Some(Uid::from_raw(account.uid)), Some(Gid::from_raw(account.gid)));
        }
    }
}

fn with_home(environment: &HostEnvironment) -> HostEnvironment {
    let data = data_folder(environment);
    let own = [("HOME".into(), OsString::from(DATA)), ("HERMES_HOME".into(), data.into_os_string())];
    let all = environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    HostEnvironment::from_pairs(all.chain(own))
}

/// The keeper as a child, this process as the scanner.
fn supervise(
    environment: &HostEnvironment,
    words: &[OsString],
    places: &Places,
) -> Result<std::convert::Infallible, BootError> {
    let base = places.base();
    std::fs::create_dir_all(&base).map_err(at("create", &base))?;
    services::build(places, environment).map_err(at("fill", &places.scan))?;
    let ready = places.ready();
    // A file and not a pipe: what the scanner says stays there until the keeper looks.
    let notify = std::fs::File::create(&ready).map_err(at("create", &ready))?;
    // The terminal becomes the keeper's; without one there is nothing to give up.
    let _ = privilege::release_terminal();
    let mut keeper = process::command(PROGRAM);
    keeper.args(["container", "keep", "--"]).args(words).envs(environment.iter());
    let keeper = keeper.spawn().map_err(|source| BootError::Start { program: PROGRAM.into(), source })?;
    let main_process = places.main_process();
    std::fs::write(&main_process, keeper.id().to_string()).map_err(at("write", &main_process))?;
    fcntl_setfd(&notify, FdFlags::empty()).map_err(|error| at("keep open", &ready)(error.into()))?;
    let program = places.tool("s6-svscan");
    let mut scanner = process::command(&program);
    let number = notify.as_raw_fd().to_string();
    scanner.args(["-c", MOST_SERVICES, "-d", &number]).arg(&places.scan).stdin(Stdio::null());
    scanner.envs(environment.iter()).env("PATH", tools_first(places, environment));
    Err(BootError::Start { program, source: scanner.exec() })
}

/// s6's programs first; only what is supervised sees them.
fn tools_first(places: &Places, environment: &HostEnvironment) -> OsString {
    let mut path = places.tools.clone().into_os_string();
    path.push(":");
    path.push(environment.get("PATH").unwrap_or("/usr/bin:/bin".as_ref()));
    path
}

fn run_unsupervised(environment: &HostEnvironment, words: &[OsString]) -> Result<std::convert::Infallible, BootError> {
    super::seed::seed(&data_folder(environment));
    let main = super::route::route(words, environment.get("PATH").unwrap_or_default());
    let mut command = process::command(&main.program);
    command.arg0(&main.name).args(&main.arguments).envs(environment.iter());
    Err(BootError::Start { program: main.program, source: command.exec() })
}

fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> BootError + use<> {
    let path = path.to_owned();
    move |source| BootError::Folder { action, path, source }
}
