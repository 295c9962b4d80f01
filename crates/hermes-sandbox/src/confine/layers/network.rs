//! The network as configured.
//!
//! A namespace has nothing in it but a loopback device that is down. Without one, the
//! filter of system calls can forbid the internet's sockets altogether, but it cannot
//! see addresses: "only loopback" is then refused rather than approximated.

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};

use rustix::io::Errno;

use super::{Applied, Entering, Failed, Step, must_fail};
use crate::confine::Network;

/// An address for documentation, which nobody has.
const NOBODY: &str = "192.0.2.1:9";

pub(super) fn apply(entering: &Entering<'_>) -> Result<Applied, Failed> {
    match (entering.confinement.network, entering.namespaces()) {
        (Network::On, _) => Ok(Applied::NotWanted),
        // The filter, which comes last, does it.
        (Network::Off, _) => Ok(Applied::InForce),
        (Network::Loopback, Ok(())) => {
            raise_loopback().step("raising the loopback device")?;
            Ok(Applied::InForce)
        }
        (Network::Loopback, Err(reason)) => Ok(Applied::Missing(reason)),
    }
}

pub(super) fn prove(entering: &Entering<'_>) -> Result<String, String> {
    if entering.namespaces().is_err() {
        must_fail("making an internet socket", socket(), &[Errno::PERM])?;
        return Ok("no internet socket could be made".to_owned());
    }
    if !entering.outside.left("net") {
        return Err("the network is the host's".to_owned());
    }
    let devices = fs::read_to_string("/proc/net/dev").map_err(|error| format!("/proc/net/dev: {error}"))?;
    // Two lines of headings.
    if let Some(device) = devices.lines().skip(2).find(|line| !line.trim_start().starts_with("lo:")) {
        return Err(format!("a network device is there: {}", device.trim()));
    }
    must_fail("reaching an address outside", reach(NOBODY), &[Errno::NETUNREACH])?;
    if entering.confinement.network == Network::Loopback {
        speak_to_itself().map_err(|error| format!("loopback does not work: {error}"))?;
    }
    Ok("no device but loopback, nothing outside could be reached".to_owned())
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

/// Sends nothing: a datagram socket only looks for a way.
fn reach(address: &str) -> rustix::io::Result<()> {
    let any = UdpSocket::bind("0.0.0.0:0").map_err(|error| errno(&error))?;
    any.connect(address).map_err(|error| errno(&error))
}

fn speak_to_itself() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    TcpStream::connect(listener.local_addr()?).map(drop)
}

#[expect(unsafe_code, reason = "a socket and nothing else is wanted")]
fn socket() -> rustix::io::Result<()> {
    // SAFETY: makes a descriptor; no memory is involved. It ends with the proof.
    let answer = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0) };
    if answer >= 0 { Ok(()) } else { Err(errno(&io::Error::last_os_error())) }
}

#[expect(unsafe_code, reason = "there is no safe wrapper for interface flags")]
fn raise_loopback() -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    // SAFETY: the request is plain bytes, for which zero is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().zip(*b"lo") {
        *place = byte.cast_signed();
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the kernel reads one `ifreq` at this address.
    let answer = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw mut request) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
