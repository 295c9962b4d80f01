//! Sockets that control other programs: engines, agents, buses.
//!
//! Covered paths cannot be connected to, and abstract names stop at Landlock's scope or a
//! network namespace. Where either is missing, a path or a name that appears later would
//! be open (Landlock does not look at connecting before its ninth version), so programs
//! get no local sockets at all, connected pairs excepted.

use std::ffi::OsStr;
use std::fs;
use std::mem::MaybeUninit;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};

use hermes_proto::executor::Layer;
use rustix::fs::{FileType, Mode, OFlags, RawDir};

use super::{Applied, Entering, Failed, UnixSockets, landlock};
use crate::confine::places::{Place, Shape};

/// How many entries of a hidden folder are looked at for sockets to try.
const MOST_ENTRIES: usize = 64;
/// Room for a list of about as many.
const LIST_SIZE: usize = 4096;

pub(super) fn apply(entering: &Entering<'_>) -> Result<Applied, Failed> {
    let landlock = if entering.has(Layer::Landlock) { landlock::version() } else { 0 };
    let names_closed = landlock >= landlock::SCOPES || (entering.has(Layer::Network) && entering.namespaces().is_ok());
    let paths_closed = landlock >= landlock::UNIX_SOCKETS || entering.has(Layer::MountNamespace);
    if names_closed && paths_closed {
        return Ok(Applied::InForce);
    }
    if entering.rehearsal.unavailable.contains(&Layer::Seccomp) {
        return Ok(Applied::Missing("neither namespaces nor a filter keep local sockets apart".to_owned()));
    }
    entering.unix_sockets.set(UnixSockets::PairsOnly);
    Ok(Applied::InForce)
}

pub(super) fn prove(entering: &Entering<'_>) -> Result<String, String> {
    let name = SocketAddr::from_abstract_name(&entering.outside.abstract_name).map_err(|error| error.to_string())?;
    if UnixStream::connect_addr(&name).is_ok() {
        return Err("an abstract socket of the host was connected to".to_owned());
    }
    let mut tried = 0;
    for socket in &entering.outside.sockets {
        if UnixStream::connect(socket).is_ok() {
            return Err(format!("{} was connected to", socket.display()));
        }
        tried += 1;
    }
    let how = match entering.unix_sockets.get() {
        UnixSockets::Allowed => "an abstract one",
        UnixSockets::PairsOnly => "none can be made, an abstract one",
    };
    Ok(format!("{how} and {tried} by path could not be connected to"))
}

/// Sockets at a hidden place and directly below it, looked for before it is hidden.
pub(in crate::confine) fn sockets_of(place: &Place) -> Vec<PathBuf> {
    match place.shape {
        Shape::Folder => sockets_in(&place.path).unwrap_or_default(),
        Shape::File => {
            let is_socket = fs::symlink_metadata(&place.path).is_ok_and(|found| found.file_type().is_socket());
            is_socket.then(|| place.path.clone()).into_iter().collect()
        }
    }
}

/// The list itself says what each entry is: none has to be looked at. A folder for temporary files may hold very many.
fn sockets_in(folder: &Path) -> rustix::io::Result<Vec<PathBuf>> {
    let opened = rustix::fs::open(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut buffer = [MaybeUninit::uninit(); LIST_SIZE];
    let mut entries = RawDir::new(opened, &mut buffer);
    let mut sockets = Vec::new();
    for _ in 0..MOST_ENTRIES {
        let Some(entry) = entries.next() else { break };
        let entry = entry?;
        if entry.file_type() == FileType::Socket {
            sockets.push(folder.join(OsStr::from_bytes(entry.file_name().to_bytes())));
        }
    }
    Ok(sockets)
}
