//! Ending a slot: its service, its supervisors and its folder, in this order, nothing left.

use std::path::Path;
use std::time::Duration;

use hermes_home::HomeName;
use rustix::fs::inotify::WatchFlags;
use rustix::fs::{FlockOperation, fcntl_lock, flock};

use super::command::{self, Scan, Want};
use crate::manager::ServiceError;
use crate::places::Places;
use crate::slot;
use crate::wait::Watch;

const PATIENCE: Duration = Duration::from_secs(15);

/// Ends the slot of a home; none is no error.
pub(super) fn retire(places: &Places, home: &HomeName) -> Result<(), ServiceError> {
    let service = slot::name(home);
    let slot = places.scan.join(&service);
    if !slot.exists() {
        return Ok(());
    }
    // A supervisor that does not answer is ended by the scanner below.
    let _ = command::control(places, &slot, Want::Down);
    let gone = places.scan.join(format!(".{service}.gone"));
    let _ = std::fs::remove_dir_all(&gone);
    let watch = Watch::new().map_err(ServiceError::at("watch", &slot))?;
    std::fs::rename(&slot, &gone).map_err(ServiceError::at("retire", &slot))?;
    let locks = [gone.join("supervise/lock"), gone.join("log/supervise/lock")];
    for lock in &locks {
        // A supervisor that never came up has none.
        let _ = watch.add(lock, WatchFlags::CLOSE_WRITE | WatchFlags::CLOSE_NOWRITE);
    }
    command::scan(places, Scan::AndForget).map_err(|source| ServiceError::Command {
        service: service.clone(),
        action: "forget",
        source,
    })?;
    let ended = watch.until(PATIENCE, || locks.iter().all(|lock| is_free(lock)));
    if !ended.map_err(ServiceError::at("watch", &gone))? {
        return Err(ServiceError::StillSupervised { service });
    }
    std::fs::remove_dir_all(&gone).map_err(ServiceError::at("remove", &gone))
}

/// Whether no supervisor holds this lock any more.
fn is_free(lock: &Path) -> bool {
    let Ok(file) = std::fs::File::open(lock) else { return true };
    // Which of the two kinds s6 takes depends on how its library was built.
    flock(&file, FlockOperation::NonBlockingLockShared).is_ok()
        && fcntl_lock(&file, FlockOperation::NonBlockingLockShared).is_ok()
}
