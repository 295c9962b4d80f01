//! Files that root left in the data folder go back to hermes: those on the list, nothing else.
//!
//! This runs as root on a volume that others write to. It walks with folder descriptors and follows
//! no link, because a link from `auth.json` to a file of the host would hand that file over; a file
//! with a second name is left alone for the same reason. It never walks into what users made:
//! millions of files would keep the container from starting, and they are not ours.

use std::ffi::OsString;
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Gid, Mode, OFlags, Uid, chownat, open, openat, statat};
use rustix::io::Errno;

use super::account::Account;

/// Of a home: what Hermes itself keeps there. A name with a slash is a path of folders.
const FILES: [&str; 33] = [
    ".container.lock",
    ".env",
    ".env.lock",
    "SOUL.md",
    "active_profile",
    "active_profile.lock",
    "auth.json",
    "auth.lock",
    "config.lock",
    "config.yaml",
    "gateway.lock",
    "gateway.pid",
    "gateway_intent.json",
    "gateway_intent.lock",
    "gateway_ports.json",
    "gateway_ports.lock",
    "gateway_state.json",
    "gateway_state.lock",
    "hermes.db",
    "hermes.db-shm",
    "hermes.db-wal",
    "hermes_state.db",
    "logs/agent.log",
    "logs/container-boot.log",
    "logs/errors.log",
    "processes.json",
    "response_store.db",
    "response_store.db-shm",
    "response_store.db-wal",
    "state.db",
    "state.db-shm",
    "state.db-wal",
    "cron/jobs.json",
];

/// Of a home: the folders themselves, not what is in them.
pub(super) const FOLDERS: [&str; 17] = [
    "backups",
    "cron",
    "home",
    "hooks",
    "lazy-packages",
    "logs",
    "logs/gateways",
    "memories",
    "pairing",
    "plans",
    "platforms",
    "platforms/pairing",
    "profiles",
    "sessions",
    "skills",
    "skins",
    "workspace",
];

/// Something that stays as it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Left {
    Link(PathBuf),
    SecondName(PathBuf),
    Failed(PathBuf, Errno),
}

/// Gives the data folder and what is on the list to `account`, in the default home and in every
/// profile's.
pub(super) fn repair(data: &Path, account: Account) -> Vec<Left> {
    let mut repair = Repair { account, left: Vec::new() };
    let Some(folder) = repair.folder_at(data) else { return repair.left };
    repair.home(&folder, data);
    let Some(profiles) = repair.folder(&folder, data, "profiles") else { return repair.left };
    let place = data.join("profiles");
    for name in names(&profiles) {
        let path = place.join(&name);
        repair.give_in(&profiles, &path, &name);
        if let Some(profile) = repair.folder(&profiles, &place, &name) {
            repair.home(&profile, &path);
        }
    }
    repair.left
}

struct Repair {
    account: Account,
    left: Vec<Left>,
}

impl Repair {
    fn home(&mut self, home: &OwnedFd, path: &Path) {
        for name in FOLDERS.iter().chain(&FILES) {
            let (folder, last) = match name.split_once('/') {
                Some((folder, last)) => (self.folder(home, path, folder), last),
                None => (home.try_clone().ok(), *name),
            };
            if let Some(folder) = folder {
                self.give_in(&folder, &path.join(name), last);
            }
        }
    }

    /// The data folder itself, which becomes hermes's, too.
    fn folder_at(&mut self, path: &Path) -> Option<OwnedFd> {
        let opened = match open(path, flags(), Mode::empty()) {
            Ok(opened) => opened,
            Err(error) => {
                self.left.push(match error {
                    Errno::LOOP | Errno::NOTDIR if path.is_symlink() => Left::Link(path.to_owned()),
                    error => Left::Failed(path.to_owned(), error),
                });
                return None;
            }
        };
        match statat(&opened, "", AtFlags::EMPTY_PATH) {
            Ok(stat) if stat.st_uid != self.account.uid => self.give(&opened, path, "", AtFlags::EMPTY_PATH),
            Ok(_) => {}
            Err(error) => self.left.push(Left::Failed(path.to_owned(), error)),
        }
        Some(opened)
    }

    /// A folder below; one that is missing is nothing to repair.
    fn folder(&mut self, at: &OwnedFd, path: &Path, name: impl AsRef<Path>) -> Option<OwnedFd> {
        match openat(at, name.as_ref(), flags(), Mode::empty()) {
            Ok(opened) => Some(opened),
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => None,
            Err(error) => {
                self.left.push(Left::Failed(path.join(name), error));
                None
            }
        }
    }

    /// One entry, by its name in an open folder.
    fn give_in(&mut self, folder: &OwnedFd, path: &Path, name: impl AsRef<Path>) {
        let stat = match statat(folder, name.as_ref(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return,
            Err(error) => return self.left.push(Left::Failed(path.to_owned(), error)),
        };
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => self.left.push(Left::Link(path.to_owned())),
            FileType::RegularFile if stat.st_nlink > 1 && stat.st_uid != self.account.uid => {
                self.left.push(Left::SecondName(path.to_owned()));
            }
            FileType::RegularFile | FileType::Directory if stat.st_uid != self.account.uid => {
                self.give(folder, path, name, AtFlags::SYMLINK_NOFOLLOW);
            }
            _ => {}
        }
    }

    fn give(&mut self, folder: &OwnedFd, path: &Path, name: impl AsRef<Path>, flags: AtFlags) {
        let (uid, gid) = (Uid::from_raw(self.account.uid), Gid::from_raw(self.account.gid));
        if let Err(error) = chownat(folder, name.as_ref(), Some(uid), Some(gid), flags) {
            self.left.push(Left::Failed(path.to_owned(), error));
        }
    }
}

fn flags() -> OFlags {
    OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY
}

/// What a folder holds, hidden entries left out.
fn names(folder: &OwnedFd) -> Vec<OsString> {
    use std::os::unix::ffi::OsStringExt;
    let Ok(entries) = Dir::read_from(folder) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(OsString::from_vec(entry.ok()?.file_name().to_bytes().to_vec())));
    names.filter(|name| !name.as_encoded_bytes().starts_with(b".")).collect()
}

impl fmt::Display for Left {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link(path) => {
                write!(formatter, "refusing to change the owner of the symlinked path {}", path.display())
            }
            Self::SecondName(path) => {
                write!(formatter, "refusing to change the owner of {}: the file has a second name", path.display())
            }
            Self::Failed(path, error) => write!(formatter, "cannot change the owner of {}: {error}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, symlink};
    use std::path::Path;

    use super::{FILES, Left, repair};
    use crate::boot::account::Account;

    const HERMES: Account = Account { uid: 10_000, gid: 10_000 };

    fn owner(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().uid()
    }

    #[test]
    fn only_what_is_on_the_list_is_given_away() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let data = tempfile::tempdir().unwrap();
        let at = |name: &str| data.path().join(name);
        for folder in ["logs", "cron", "workspace/deep", "profiles/coder/sessions", "profiles/.staged", "mine"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in
            ["auth.json", "host_secret.json", "workspace/deep/file", "profiles/coder/auth.json", "cron/jobs.json"]
        {
            std::fs::write(at(file), "x").unwrap();
        }
        assert_eq!(repair(data.path(), HERMES), []);
        for name in
            ["", "auth.json", "logs", "workspace", "profiles/coder", "profiles/coder/auth.json", "cron/jobs.json"]
        {
            assert_eq!(owner(&at(name)), 10_000, "{name}");
        }
        for name in ["host_secret.json", "workspace/deep", "workspace/deep/file", "mine", "profiles/.staged"] {
            assert_eq!(owner(&at(name)), 0, "{name}");
        }
    }

    #[test]
    fn no_link_and_no_second_name_gives_anything_away() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let (data, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| data.path().join(name);
        let secret = outside.path().join("shadow");
        std::fs::write(&secret, "x").unwrap();
        symlink(&secret, at("auth.json")).unwrap();
        symlink(outside.path(), at("logs")).unwrap();
        std::fs::write(outside.path().join("agent.log"), "x").unwrap();
        std::fs::create_dir(at("profiles")).unwrap();
        symlink(outside.path(), at("profiles/evil")).unwrap();
        std::fs::write(outside.path().join("gateway.lock"), "x").unwrap();
        std::fs::hard_link(&secret, at("state.db")).unwrap();
        let left = repair(data.path(), HERMES);
        for name in ["auth.json", "logs", "profiles/evil"] {
            assert!(left.contains(&Left::Link(at(name))), "{name}: {left:?}");
        }
        assert!(left.contains(&Left::SecondName(at("state.db"))), "{left:?}");
        for name in ["shadow", "agent.log", "gateway.lock", ""] {
            assert_eq!(owner(&outside.path().join(name)), 0, "{name}");
        }
        assert!(at("auth.json").is_symlink());
        assert!(left[0].to_string().starts_with("refusing"), "{}", left[0]);
    }

    #[test]
    fn a_data_folder_that_is_a_link_is_left_alone() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = folder.path().join("data");
        symlink(outside.path(), &data).unwrap();
        assert_eq!(repair(&data, HERMES), [Left::Link(data)]);
        assert_eq!(owner(outside.path()), 0);
    }

    #[test]
    fn the_list_says_nothing_twice() {
        let mut names = FILES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FILES.len());
    }
}
