//! Namespaces of users, processes, queues and host names.
//!
//! They are all entered at once, before the first layer is applied; here is what has to
//! be done inside them, and what must not be possible from there.

use std::fs;

use hermes_proto::executor::Layer;
use rustix::io::Errno;
use rustix::process::test_kill_process;
use rustix::thread::UnshareFlags;

use super::{Applied, Entering, Failed, Step, must_fail};

/// The kernel's name for the namespace behind a layer.
pub(in crate::confine) fn namespaces_of(layer: Layer) -> UnshareFlags {
    match layer {
        Layer::UserNamespace => UnshareFlags::NEWUSER,
        Layer::MountNamespace => UnshareFlags::NEWNS,
        Layer::PidNamespace => UnshareFlags::NEWPID,
        Layer::IpcNamespace => UnshareFlags::NEWIPC,
        Layer::UtsNamespace => UnshareFlags::NEWUTS,
        Layer::Network => UnshareFlags::NEWNET,
        Layer::NoNewPrivileges
        | Layer::Landlock
        | Layer::Seccomp
        | Layer::ResourceLimits
        | Layer::Cgroup
        | Layer::ControlSockets => UnshareFlags::empty(),
    }
}

pub(super) fn apply_user(entering: &Entering<'_>) -> Result<Applied, Failed> {
    if let Err(reason) = entering.namespaces() {
        return Ok(Applied::Missing(reason));
    }
    // A second lock behind the filter: no further user namespaces below this one. Kernels
    // without this limit have the filter alone.
    let _ = fs::write("/proc/sys/user/max_user_namespaces", "0");
    Ok(Applied::InForce)
}

pub(super) fn prove_user(entering: &Entering<'_>) -> Result<String, String> {
    if !entering.outside.left("user") {
        return Err("the user namespace is the host's".to_owned());
    }
    let map = fs::read_to_string("/proc/self/uid_map").map_err(|error| format!("uid_map: {error}"))?;
    let words: Vec<_> = map.split_whitespace().collect();
    if !matches!(words.as_slice(), [inside, outside, "1"] if inside == outside) {
        return Err(format!("more users than our own exist: {}", map.trim()));
    }
    let other = if rustix::process::getuid().is_root() { 1 } else { 0 };
    must_fail("becoming another user", become_user(other), &[Errno::INVAL, Errno::PERM])?;
    Ok("only our own user exists, becoming another one failed".to_owned())
}

/// Asks the kernel for this thread alone; it ends with the proof.
#[expect(unsafe_code, reason = "the C library's call would change all threads")]
fn become_user(user: libc::uid_t) -> rustix::io::Result<()> {
    // SAFETY: numbers only; no memory is involved.
    let answer = unsafe { libc::syscall(libc::SYS_setresuid, user, user, user) };
    if answer == 0 { Ok(()) } else { Err(last_error()) }
}

pub(super) fn apply_uts(entering: &Entering<'_>) -> Result<Applied, Failed> {
    if let Err(reason) = entering.namespaces() {
        return Ok(Applied::Missing(reason));
    }
    rustix::system::sethostname(entering.confinement.host_name.as_bytes()).step("setting the host name")?;
    Ok(Applied::InForce)
}

pub(super) fn prove_uts(entering: &Entering<'_>) -> Result<String, String> {
    if !entering.outside.left("uts") {
        return Err("the host name is the host's".to_owned());
    }
    let wanted = entering.confinement.host_name.as_bytes();
    if rustix::system::uname().nodename().to_bytes() != wanted {
        return Err("the host name was not changed".to_owned());
    }
    must_fail("changing the host name", rustix::system::sethostname(b"proof"), &[Errno::PERM])?;
    Ok("has a host name of its own, changing it failed".to_owned())
}

pub(super) fn apply_ipc(entering: &Entering<'_>) -> Result<Applied, Failed> {
    Ok(entering.namespaces().map_or_else(Applied::Missing, |()| Applied::InForce))
}

pub(super) fn prove_ipc(entering: &Entering<'_>) -> Result<String, String> {
    if !entering.outside.left("ipc") {
        return Err("queues and shared memory are the host's".to_owned());
    }
    let Some(segment) = entering.outside.segment else {
        return Ok("queues and shared memory of its own".to_owned());
    };
    must_fail("finding shared memory of the host", find_segment(segment), &[Errno::INVAL, Errno::IDRM])?;
    Ok("shared memory made outside was not found".to_owned())
}

#[expect(unsafe_code, reason = "no safe wrapper for System V memory")]
fn find_segment(segment: i32) -> rustix::io::Result<()> {
    let mut found = std::mem::MaybeUninit::<libc::shmid_ds>::uninit();
    // SAFETY: the kernel writes at most one `shmid_ds`, for which there is room.
    let answer = unsafe { libc::shmctl(segment, libc::IPC_STAT, found.as_mut_ptr()) };
    if answer == 0 { Ok(()) } else { Err(last_error()) }
}

pub(super) fn apply_pid(entering: &Entering<'_>) -> Result<Applied, Failed> {
    if let Err(reason) = entering.namespaces() {
        return Ok(Applied::Missing(reason));
    }
    let stale = entering.stale_proc.borrow().clone();
    Ok(stale.map_or(Applied::InForce, Applied::Missing))
}

pub(super) fn prove_pid(entering: &Entering<'_>) -> Result<String, String> {
    if !entering.outside.left("pid") {
        return Err("processes are the host's".to_owned());
    }
    let outside = entering.outside.process;
    // The first few numbers are in use inside as well.
    const IN_USE: i32 = 8;
    if outside.as_raw_nonzero().get() > IN_USE {
        must_fail("finding a process outside", test_kill_process(outside), &[Errno::SRCH])?;
        let place = format!("/proc/{}", outside.as_raw_nonzero());
        must_fail("seeing a process outside", rustix::fs::stat(place), &[Errno::NOENT])?;
    }
    let seen = fs::read_link("/proc/self").map_err(|error| format!("/proc/self: {error}"))?;
    if seen.to_string_lossy() != rustix::process::getpid().as_raw_nonzero().to_string() {
        return Err("/proc shows the processes of another namespace".to_owned());
    }
    Ok("the waiting process outside was neither seen nor found".to_owned())
}

fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
