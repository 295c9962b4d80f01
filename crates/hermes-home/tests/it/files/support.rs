//! A temporary home, and what the tests ask about it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hermes_home::files::{self, Change, FileError, Mode};
use rustix::fs::{Gid, Uid};

/// An account without rights, for tests that are run by root.
pub(super) const STRANGER: u32 = 12345;

/// A home, and a folder beside it that nothing may change.
pub(super) struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        std::fs::create_dir(folder.path().join("outside")).unwrap();
        std::fs::write(folder.path().join("outside/precious"), "precious").unwrap();
        Self { folder }
    }

    pub(super) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.home().join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        std::fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        std::fs::write(self.file(name), content).unwrap();
    }

    pub(super) fn link(&self, name: &str, target: impl AsRef<Path>) {
        std::fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, self.file(name)).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    /// Fails if anything outside the home has changed.
    pub(super) fn assert_outside_untouched(&self) {
        let expected = BTreeMap::from([(PathBuf::from("precious"), "precious".to_owned())]);
        assert_eq!(tree(&self.outside()), expected);
    }
}

/// Puts this content in place of whatever there is.
pub(super) fn put(home: &Path, name: &str, mode: Mode, content: impl Into<Vec<u8>>) -> Result<(), FileError> {
    Ok(files::update(home, name, mode, |_| Ok::<_, Infallible>(Change::Replace(content.into())))?)
}

/// Permission bits of a file.
pub(super) fn mode_of(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Temporary files in a folder, whoever they belong to.
pub(super) fn temporaries(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".hermes-")).collect()
}

/// All files below a folder with their content, links with their target.
pub(super) fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            let content = if kind.is_dir() {
                folders.push(path.clone());
                continue;
            } else if kind.is_symlink() {
                format!("-> {}", path.read_link().unwrap().display())
            } else {
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
            };
            found.insert(path.strip_prefix(folder).unwrap().to_owned(), content);
        }
    }
    found
}

/// Runs this as somebody who is not root: in a thread of its own that gave its
/// rights away, because in Linux they belong to the thread.
pub(super) fn as_ordinary_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if !is_root() {
        return work();
    }
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let (user, group) = (Uid::from_raw(STRANGER), Gid::from_raw(STRANGER));
            rustix::thread::set_thread_groups(&[]).unwrap();
            rustix::thread::set_thread_res_gid(group, group, group).unwrap();
            rustix::thread::set_thread_res_uid(user, user, user).unwrap();
            work()
        });
        worker.join().unwrap()
    })
}

/// Hands a path to the account of [`as_ordinary_user`], if that is another one.
pub(super) fn hand_over(path: &Path) {
    if is_root() {
        std::os::unix::fs::lchown(path, Some(STRANGER), Some(STRANGER)).unwrap();
    }
}
