//! The socket's file.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use tokio::net::{UnixListener, UnixStream};

const FILE: &str = "gateway.sock";

/// A socket in a home. Removed when it is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    pub(super) listener: UnixListener,
    path: PathBuf,
}

impl ControlSocket {
    /// Makes the socket of a home that this process owns; one that a crash left is replaced.
    pub fn bind(home: &Path) -> io::Result<Self> {
        let folder = Short::of(home)?;
        let temporary = format!(".gateway-{}.sock", std::process::id());
        let path = home.join(FILE);
        remove(&home.join(&temporary))?;
        let listener = UnixListener::bind(folder.path(&temporary))?;
        std::fs::set_permissions(home.join(&temporary), std::fs::Permissions::from_mode(0o600))?;
        let renamed = std::fs::rename(home.join(&temporary), &path);
        // A gateway that is started again and again must not fill its home with these.
        renamed.inspect_err(|_| drop(std::fs::remove_file(home.join(&temporary))))?;
        Ok(Self { listener, path })
    }

    /// Connects to the gateway of a home.
    pub(super) async fn connect(home: &Path) -> io::Result<UnixStream> {
        let folder = Short::of(home)?;
        let stream = UnixStream::connect(folder.path(FILE)).await?;
        check(&stream)?;
        Ok(stream)
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// An error unless the other end is this very account, or root.
pub(super) fn check(stream: &UnixStream) -> io::Result<()> {
    let uid = stream.peer_cred()?.uid();
    if is_trusted(uid, geteuid().as_raw()) {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("account {uid} may not control this gateway")))
}

fn is_trusted(peer: u32, own: u32) -> bool {
    peer == own || peer == 0
}

/// A folder by its descriptor: addresses of sockets are at most 107 bytes long, and homes are where people put them.
struct Short(File);

impl Short {
    fn of(home: &Path) -> io::Result<Self> {
        File::open(home).map(Self)
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.0.as_raw_fd()))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::{ControlSocket, is_trusted};

    #[tokio::test]
    async fn the_socket_is_private_and_its_folder_may_have_a_long_name() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("x".repeat(150));
        std::fs::create_dir(&home).unwrap();
        let socket = ControlSocket::bind(&home).unwrap();
        let mode = std::fs::metadata(home.join("gateway.sock")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let (connected, accepted) = tokio::join!(ControlSocket::connect(&home), socket.listener.accept());
        connected.unwrap();
        accepted.unwrap();
        // One that a crash left is replaced.
        std::mem::forget(socket);
        drop(ControlSocket::bind(&home).unwrap());
        assert!(!home.join("gateway.sock").exists());
    }

    #[test]
    fn only_this_account_and_root_are_trusted() {
        assert!(is_trusted(1000, 1000) && is_trusted(0, 1000));
        assert!(!is_trusted(1001, 1000) && !is_trusted(1000, 0));
    }
}
