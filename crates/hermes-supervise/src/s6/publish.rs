//! Making a slot visible, and waiting until its supervisor is there.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::inotify::WatchFlags;

use super::command::{self, Scan};
use crate::manager::{ServiceError, StartAfter};
use crate::places::Places;
use crate::slot::{self, SlotData};
use crate::wait::Watch;

const PATIENCE: Duration = Duration::from_secs(15);

/// Builds, publishes and scans; a slot that could not be taken up is gone again.
pub(super) fn publish(places: &Places, data: &SlotData, start: StartAfter) -> Result<(), ServiceError> {
    let service = slot::name(&data.home);
    let staging = Staging::new(&places.scan, &service)?;
    slot::build(places, &staging.path, data, start)?;
    let watch = watch(&staging.path).map_err(ServiceError::at("watch", &staging.path))?;
    let published = places.scan.join(&service);
    staging.rename(&published, data)?;
    let taken_up = command::scan(places, Scan::Again)
        .map_err(|source| ServiceError::Command { service: service.clone(), action: "scan for", source })
        .and_then(|()| wait(&watch, &published, &service));
    if taken_up.is_err() {
        // Out of the scanner's sight first; what cannot be removed then is removed by the next boot.
        let gone = places.scan.join(format!(".{service}.gone"));
        let _ = std::fs::remove_dir_all(&gone);
        let _ = std::fs::rename(&published, &gone).and_then(|()| std::fs::remove_dir_all(&gone));
    }
    taken_up
}

/// The supervisors say that they are there by writing their status.
fn watch(slot: &Path) -> io::Result<Watch> {
    let watch = Watch::new()?;
    for folder in ["supervise", "log/supervise"] {
        watch.add(&slot.join(folder), WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::CLOSE_WRITE)?;
    }
    Ok(watch)
}

fn wait(watch: &Watch, slot: &Path, service: &str) -> Result<(), ServiceError> {
    let both = || ["supervise/status", "log/supervise/status"].iter().all(|name| slot.join(name).exists());
    match watch.until(PATIENCE, both).map_err(ServiceError::at("watch", slot))? {
        true => Ok(()),
        false => Err(ServiceError::NotTakenUp { service: service.to_owned() }),
    }
}

/// A folder out of the scanner's sight. Dropped before it was published, it is removed.
struct Staging {
    path: PathBuf,
}

impl Staging {
    fn new(scan: &Path, service: &str) -> Result<Self, ServiceError> {
        // The number keeps two that register the same at once apart.
        let path = scan.join(format!(".{service}.{}.new", std::process::id()));
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(ServiceError::at("remove", &path)(error));
            }
            _ => {}
        }
        DirBuilder::new().mode(0o755).create(&path).map_err(ServiceError::at("create", &path))?;
        Ok(Self { path })
    }

    /// The rename is what refuses a second one: nothing is replaced.
    fn rename(&self, published: &Path, data: &SlotData) -> Result<(), ServiceError> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, &self.path, CWD, published, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST | Errno::NOTEMPTY) => Err(ServiceError::AlreadyRegistered { home: data.home.clone() }),
            Err(error) => Err(ServiceError::at("publish", published)(error.into())),
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
