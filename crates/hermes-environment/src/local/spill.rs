//! Where output that is too long to return is kept: one private folder per environment.
//!
//! Sessions share the home's `cache/`. Were the spilled output in one folder, one session
//! could read what another session's commands printed.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hermes_home::{Home, files};

use crate::error::EnvironmentError;

/// How long spilled output is kept.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Makes a fresh folder, and removes those that nobody has used for a week.
pub(super) fn make(home: &Home) -> Result<PathBuf, EnvironmentError> {
    let folder = home.path().join("cache").join("terminal-output");
    files::create_private_dir(&folder)?;
    sweep(&folder);
    let mut random = [0; 8];
    let own = loop {
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())
            .map_err(|error| EnvironmentError::Spill { path: folder.clone(), source: error.into() })?;
        let own = folder.join(format!("{:016x}", u64::from_ne_bytes(random)));
        if !own.exists() {
            break own;
        }
    };
    files::create_private_dir(&own)?;
    Ok(own)
}

/// Old output is only tidied up: what cannot be removed now is tried again next time.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_old = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|modified| SystemTime::now().duration_since(modified).is_ok_and(|age| age > KEPT));
        if is_old && let Err(error) = std::fs::remove_dir_all(entry.path()) {
            tracing::warn!(path = %entry.path().display(), %error, "old output stays behind");
        }
    }
}
