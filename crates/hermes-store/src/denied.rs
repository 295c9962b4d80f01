//! Which file kept SQLite out: it only says that it could not open "the database".

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hermes_home::files::{Account, Obstacle};
use rustix::fs::{Access, access};

/// The first of the store's files, or of the folders above them, that this account may not use as it needs.
pub(crate) fn obstacle(store: &Path) -> Option<Box<Obstacle>> {
    let folder = store.parent()?;
    let above = folder.ancestors().skip(1).collect::<Vec<_>>();
    let beside = ["-wal", "-shm"].map(|ending| with_ending(store, ending));
    let refused = |path: &Path, need| path.symlink_metadata().is_ok() && access(path, need).is_err();
    above
        .into_iter()
        .rev()
        .find(|path| refused(path, Access::EXEC_OK))
        .or_else(|| refused(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK).then_some(folder))
        .or_else(|| refused(store, Access::READ_OK | Access::WRITE_OK).then_some(store))
        .or_else(|| beside.iter().map(PathBuf::as_path).find(|path| refused(path, Access::READ_OK | Access::WRITE_OK)))
        .and_then(describe)
}

fn with_ending(store: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(store);
    name.push(ending);
    name.into()
}

fn describe(path: &Path) -> Option<Box<Obstacle>> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Box::new(Obstacle {
        path: path.to_owned(),
        is_folder: metadata.is_dir(),
        owner: Account::of(metadata.uid()),
        mode: metadata.mode() & 0o7777,
        actor: Account::current(),
    }))
}
