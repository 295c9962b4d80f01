//! Which Python runs a script.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_proto::executor::ScriptMode;
use hermes_sandbox::process::find_program;
use tokio::time::timeout;

use super::launch::{ProcessEnd, Python, process_end};
use crate::session::Session;
use crate::state::Variables;

/// Where a virtual environment says that it is.
const VIRTUAL: [&[u8]; 2] = [b"VIRTUAL_ENV", b"CONDA_PREFIX"];
/// Looked at when PATH has none.
const USUAL_PLACES: [&str; 2] = ["/usr/local/bin/python3", "/usr/bin/python3"];
/// Without site and environment: only the version is asked for.
const IS_RECENT: &[&[u8]] = &[b"-E", b"-S", b"-c", b"import sys; sys.exit(sys.version_info < (3, 8))"];
/// A Python takes some milliseconds; one that takes this long is not used.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
const ENDS_WITHIN: Duration = Duration::from_secs(1);

/// What a Python is looked for in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) session: &'a Session,
    pub(super) mode: ScriptMode,
    /// As the turn gave it, without what the session's commands changed.
    pub(super) given: &'a Variables,
    /// What a command at this moment would have.
    pub(super) current: &'a Variables,
    pub(super) directory: BorrowedFd<'a>,
}

impl Search<'_> {
    /// In `project` mode the one of the session's virtual environment, if it is recent enough; else the
    /// first in PATH. In `strict` mode no command of the session decides.
    pub(super) async fn find(&self) -> Option<PathBuf> {
        if self.mode == ScriptMode::Strict {
            return plain(self.given);
        }
        for name in VIRTUAL {
            if let Some(python) = self.current.get(name).and_then(|prefix| virtual_python(prefix))
                && self.is_recent(&python).await
            {
                return Some(python);
            }
        }
        plain(self.current)
    }

    async fn is_recent(&self, program: &Path) -> bool {
        // Its version is no secret, and it is told none.
        let path = self.given.get_key_value(b"PATH".as_slice());
        let environment = path.map(|(name, value)| (name.clone(), value.clone())).into_iter().collect();
        let python = Python { program, arguments: IS_RECENT, environment: &environment, directory: self.directory };
        let Ok(started) = python.start(self.session) else { return false };
        let ended = timeout(ANSWERS_WITHIN, process_end(&started.guarded)).await;
        started.guarded.end_within(ENDS_WITHIN).await;
        ended == Ok(ProcessEnd::Exited(0))
    }
}

fn plain(environment: &Variables) -> Option<PathBuf> {
    let path = environment.get(b"PATH".as_slice()).map_or(OsStr::new(""), |path| OsStr::from_bytes(path));
    find_program("python3", path).or_else(|| USUAL_PLACES.iter().find_map(|place| find_program(place, OsStr::new(""))))
}

fn virtual_python(prefix: &[u8]) -> Option<PathBuf> {
    let prefix = Path::new(OsStr::from_bytes(prefix));
    prefix.is_absolute().then(|| prefix.join("bin/python")).and_then(|python| find_program(python, OsStr::new("")))
}
