//! What the world looked like before the confinement, to compare with afterwards.
//!
//! Each thing made here vanishes with the descriptors and processes that hold it, so
//! that a kill at any moment leaves nothing on the machine.

use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

use rustix::process::{Pid, getpid};

use super::layers::sockets_of;
use super::places::Places;

/// The namespaces whose change is looked for, as files in `/proc/self/ns`.
pub(super) const NAMESPACES: [&str; 6] = ["user", "mnt", "pid", "ipc", "uts", "net"];

/// Facts about the outside, and bait for the proofs.
#[derive(Debug)]
pub(super) struct Outside {
    /// The process that stays outside and waits.
    pub(super) process: Pid,
    namespaces: [Option<PathBuf>; NAMESPACES.len()],
    /// Nobody inside may connect to this abstract socket.
    pub(super) abstract_name: Vec<u8>,
    /// Kept open, so that a connection would be accepted.
    _listener: UnixListener,
    /// A System V segment that nobody inside may find.
    pub(super) segment: Option<i32>,
    /// Sockets in hidden places.
    pub(super) sockets: Vec<PathBuf>,
}

impl Outside {
    pub(super) fn observe(places: &Places) -> io::Result<Self> {
        let process = getpid();
        // Process numbers repeat in containers that share a network.
        let unique = std::hash::RandomState::new().build_hasher().finish();
        let abstract_name = format!("hermes-proof-{unique:x}").into_bytes();
        let listener = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name)?)?;
        Ok(Self {
            process,
            namespaces: NAMESPACES.map(namespace),
            abstract_name,
            _listener: listener,
            segment: shared_segment(),
            sockets: places.iter().filter(|place| place.access.covers()).flat_map(sockets_of).collect(),
        })
    }

    /// Whether this process is in another namespace of this kind than before.
    pub(super) fn left(&self, name: &str) -> bool {
        let before = NAMESPACES.iter().position(|known| *known == name).and_then(|at| self.namespaces[at].as_ref());
        before.is_some_and(|before| namespace(name).is_some_and(|now| now != *before))
    }
}

fn namespace(name: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/self/ns/{name}")).ok()
}

/// A page that is marked for removal while it is attached: its number stays valid until the
/// last process that has it ends or starts another program.
#[expect(unsafe_code, reason = "no safe wrapper for System V memory")]
fn shared_segment() -> Option<i32> {
    // SAFETY: creates a segment; no memory of ours is involved.
    let segment = unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, libc::IPC_CREAT | 0o600) };
    if segment < 0 {
        return None;
    }
    // SAFETY: the kernel chooses a free address; the mapping is never used.
    let address = unsafe { libc::shmat(segment, std::ptr::null(), libc::SHM_RDONLY) };
    // SAFETY: IPC_RMID reads no buffer.
    unsafe { libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut()) };
    (address.addr() != usize::MAX).then_some(segment)
}
