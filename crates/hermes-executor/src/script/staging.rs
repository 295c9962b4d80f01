//! The private folder of one script: its code, its module and its socket.
//!
//! It stands where the session's commands have their temporary files, and is gone when the script is.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, fchmod};
use tokio::net::{UnixListener, UnixSocket};
use tokio::task::spawn_blocking;

use crate::private_folder::{BASES, make_folder, remove_folder};

const PREFIX: &str = "hermes-script-";
const SOCKET: &str = "rpc.sock";
const SCRIPT: &str = "script.py";
const MODULE: &str = "hermes_tools.py";
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 32;

/// Why there is no folder.
#[derive(Debug, thiserror::Error)]
pub(super) enum StagingError {
    #[error("no folder can be made in {}: {source}", BASES.join(" or "))]
    Folder { source: io::Error },
    #[error("{name} cannot be written: {source}")]
    Write { name: &'static str, source: io::Error },
    #[error("socket for tool calls cannot be made: {0}")]
    Socket(io::Error),
}

/// The folder. Dropped, it is removed too, by whoever drops it.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    is_removed: bool,
}

impl Staging {
    /// Makes the folder with both files. Blocks.
    pub(super) fn make(code: &str, module: &str) -> Result<Self, StagingError> {
        let staging =
            Self { folder: make_folder(PREFIX).map_err(|source| StagingError::Folder { source })?, is_removed: false };
        for (name, text) in [(MODULE, module), (SCRIPT, code)] {
            staging.write(name, text).map_err(|source| StagingError::Write { name, source })?;
        }
        Ok(staging)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn script(&self) -> PathBuf {
        self.folder.join(SCRIPT)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join(SOCKET)
    }

    pub(super) fn listen(&self) -> Result<UnixListener, StagingError> {
        let listen = || {
            let socket = UnixSocket::new_stream()?;
            // Before it has a name: there is no moment at which others could connect.
            fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
            socket.bind(self.socket())?;
            socket.listen(BACKLOG)
        };
        listen().map_err(StagingError::Socket)
    }

    /// Removes it all, on a thread that may block; what the person should know if that fails.
    pub(super) async fn remove(mut self) -> Option<String> {
        let folder = self.folder.clone();
        let removed = spawn_blocking(move || remove_folder(&folder)).await;
        // Not before: an executor that ends does not wait for that thread, and then it is done when this is dropped.
        self.is_removed = true;
        let error = removed.map_err(io::Error::other).flatten().err()?;
        Some(format!("{}: folder of the script cannot be removed: {error}", self.folder.display()))
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.folder.join(name));
        file?.write_all(text.as_bytes())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_removed {
            // The executor ends, or the script was never started: nobody is left to be told.
            let _ = remove_folder(&self.folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::Staging;

    #[tokio::test]
    async fn everything_in_it_is_private_and_goes_with_it() {
        let staging = Staging::make("print()", "# module").unwrap();
        let folder = staging.folder().to_owned();
        let listener = staging.listen().unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(folder.clone()), mode(staging.script()), mode(staging.socket())), (0o700, 0o600, 0o600));
        assert_eq!(fs::read_to_string(folder.join("hermes_tools.py")).unwrap(), "# module");
        assert!(staging.socket().as_os_str().len() < 107);
        drop(listener);
        assert_eq!(staging.remove().await, None);
        assert!(!folder.exists());
    }

    #[test]
    fn one_that_is_given_up_goes_too() {
        let folder = Staging::make("", "").unwrap().folder().to_owned();
        assert!(!folder.exists());
    }
}
