//! This program's own file, where containers can run it: `cache/executor/<version>-<digest>/hermes`.
//!
//! The folder is mounted read-only, so no command in a container can change what the next
//! session runs there. A copy that somebody on the host changed is found by its digest and
//! replaced; a copy is complete or not there.

use std::fs::{self, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hermes_home::{Home, files};
use sha2::{Digest, Sha256};

use super::digest::hexadecimal;
use super::error::DockerError;

/// Where a container sees the folder.
pub const MOUNT: &str = "/opt/hermes-executor";
/// The program's name in it.
pub(super) const PROGRAM: &str = "hermes";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Everybody may read and run: the container's user is not ours.
const MODE: u32 = 0o755;

/// A complete copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacedExecutor {
    pub folder: PathBuf,
    /// Version and digest: what distinguishes it from others.
    pub name: String,
}

/// Copies the program into the home unless a true copy is there.
pub(super) fn place(home: &Home, source: &Path) -> Result<PlacedExecutor, DockerError> {
    let digest = digest(source).map_err(|source_error| failed(source, source_error))?;
    let name = format!("{VERSION}-{}", digest.get(..16).unwrap_or(&digest));
    let folder = home.path().join("cache").join("executor").join(&name);
    files::create_private_dir(&folder)?;
    let program = folder.join(PROGRAM);
    if !is_true_copy(&program, &digest) {
        copy(source, &folder, &program).map_err(|error| failed(&program, error))?;
    }
    fs::set_permissions(&folder, Permissions::from_mode(MODE)).map_err(|error| failed(&folder, error))?;
    Ok(PlacedExecutor { folder, name })
}

fn is_true_copy(program: &Path, expected: &str) -> bool {
    let Ok(metadata) = program.symlink_metadata() else { return false };
    metadata.is_file() && metadata.mode() & 0o7777 == MODE && digest(program).is_ok_and(|digest| digest == expected)
}

/// Under a name of its own first, then in one step in its place.
fn copy(source: &Path, folder: &Path, program: &Path) -> io::Result<()> {
    let temporary = folder.join(format!(".{PROGRAM}.{}.tmp", hexadecimal(&random())));
    let copied = fs::copy(source, &temporary)
        .and_then(|_| fs::set_permissions(&temporary, Permissions::from_mode(MODE)))
        .and_then(|()| File::open(&temporary)?.sync_all())
        .and_then(|()| fs::rename(&temporary, program));
    copied.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

fn random() -> [u8; 8] {
    let mut random = [0; 8];
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    random
}

fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hexadecimal(&hash.finalize())),
            length => hash.update(&piece[..length]),
        }
    }
}

fn failed(path: &Path, source: io::Error) -> DockerError {
    DockerError::Executor { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use hermes_home::{Asked, Home, HomeRoot};
    use hermes_proto::HostEnvironment;

    use super::place;

    fn home(path: &std::path::Path) -> Home {
        let root = HomeRoot::find(&HostEnvironment::from_pairs([("HERMES_HOME", path)])).unwrap();
        root.select(&Asked::Nothing).unwrap()
    }

    #[test]
    fn a_copy_is_made_once_and_mended_when_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let home = home(&folder.path().join("home"));
        let source = folder.path().join("program");
        fs::write(&source, "the program").unwrap();
        let placed = place(&home, &source).unwrap();
        let copy = placed.folder.join("hermes");
        let check = || {
            assert_eq!(place(&home, &source).unwrap(), placed);
            assert_eq!(fs::read_to_string(&copy).unwrap(), "the program");
            assert!(copy.symlink_metadata().unwrap().is_file());
            assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o7777, 0o755);
            assert_eq!(fs::read_dir(&placed.folder).unwrap().count(), 1, "no temporary file stays");
        };
        check();
        fs::write(&copy, "evil").unwrap();
        check();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o777)).unwrap();
        check();
        fs::remove_file(&copy).unwrap();
        symlink(&source, &copy).unwrap();
        check();
        fs::write(&source, "another program").unwrap();
        assert_ne!(place(&home, &source).unwrap().folder, placed.folder);
    }
}
