//! Where output that is too long to return is kept: one private folder per environment.
//!
//! Were the spilled output in one folder, one session could read what another session's
//! commands printed.

use std::io;
use std::os::unix::fs::DirBuilderExt;
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
    loop {
        let own = folder.join(name().map_err(|source| EnvironmentError::Spill { path: folder.clone(), source })?);
        // Not made durable: after a power failure nobody asks for output of a session that is gone.
        match std::fs::DirBuilder::new().mode(0o700).create(&own) {
            Ok(()) => return Ok(own),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(EnvironmentError::Spill { path: own, source }),
        }
    }
}

fn name() -> io::Result<String> {
    let mut random = [0; 8];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
    Ok(format!("{:016x}", u64::from_ne_bytes(random)))
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
