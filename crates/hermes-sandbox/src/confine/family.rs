//! One process becomes two: the outer one waits, the inner one is confined.
//!
//! The outer keeps the number and the parent that the runtime knows, and cleans up. The inner
//! is the first process of its namespace: when it ends, the kernel ends everything in
//! there, and it ends with the outer, however that dies. In between stands, for a moment,
//! a process that makes the namespaces, because their maker is never inside itself.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, getegid, geteuid, getpid, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal, waitpid,
};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::ConfineError;
use super::supervise::supervise;

/// One process became two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forked {
    Child,
    Parent(Pid),
}

/// What the inner process holds while it is being confined; the outer one waits for its end.
#[derive(Debug)]
pub(super) struct Inside {
    /// Closed when the proof is done.
    _status: File,
}

/// Why there is no inner process.
#[derive(Debug)]
pub(super) enum Undivided {
    /// The namespaces, or what has to be done in them, were refused.
    Refused(String),
    Failed(ConfineError),
}

/// Returns in the inner process only, after `settle` has done its work in the namespaces. The
/// outer one runs `tidy` when everything inside has ended, and never returns.
pub(super) fn divide(
    namespaces: UnshareFlags,
    settle: impl FnOnce() -> Result<(), String>,
    tidy: impl FnOnce(),
) -> Result<Inside, Undivided> {
    let failed = |step| move |source: Errno| Undivided::Failed(ConfineError::Prepare { step, source: source.into() });
    let (status_in, status_out) = pipe_with(PipeFlags::CLOEXEC).map_err(failed("making a pipe"))?;
    let (go_in, go_out) = pipe_with(PipeFlags::CLOEXEC).map_err(failed("making a pipe"))?;
    set_child_subreaper(Some(getpid())).map_err(failed("adopting what is left behind"))?;
    match fork().map_err(failed("forking"))? {
        Forked::Child => {
            drop((status_in, go_out));
            let status = become_inner(namespaces, File::from(status_out), settle);
            follow_outer(&go_in);
            Ok(Inside { _status: status })
        }
        Forked::Parent(child) => {
            drop((status_out, go_in));
            let mut status = BufReader::new(File::from(status_in));
            match meet_inner(child, namespaces, &mut status, &File::from(go_out)) {
                Ok(inner) => supervise(inner, status, tidy),
                Err(reason) => {
                    while waitpid(None, WaitOptions::empty()).is_ok() {}
                    Err(Undivided::Refused(reason))
                }
            }
        }
    }
}

/// In the child: makes the namespaces and forks into them; without any it is the inner one itself.
fn become_inner(namespaces: UnshareFlags, status: File, settle: impl FnOnce() -> Result<(), String>) -> File {
    if !namespaces.is_empty() {
        enter_namespaces(namespaces).unwrap_or_else(|reason| refuse(&status, &reason));
        match fork() {
            Ok(Forked::Child) => {}
            Ok(Forked::Parent(inner)) => {
                tell(&status, &format!("inner {}", inner.as_raw_nonzero()));
                end(0)
            }
            Err(error) => refuse(&status, &format!("starting the first process: {error}")),
        }
    }
    settle().unwrap_or_else(|reason| refuse(&status, &reason));
    tell(&status, "ready");
    status
}

/// In the child. Only our own user and group exist in the new namespace, as themselves.
#[expect(unsafe_code, reason = "rustix marks it so because of descriptor tables")]
fn enter_namespaces(namespaces: UnshareFlags) -> Result<(), String> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // Else the files below belong to root.
    set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(|error| format!("prctl: {error}"))?;
    // SAFETY: descriptor tables are not unshared, and the process has one thread.
    unsafe { unshare_unsafe(namespaces) }.map_err(|error| format!("making namespaces: {error}"))?;
    if namespaces.contains(UnshareFlags::NEWUSER) {
        for (file, text) in [
            ("setgroups", "deny".to_owned()),
            ("uid_map", format!("{user} {user} 1")),
            ("gid_map", format!("{group} {group} 1")),
        ] {
            fs::write(format!("/proc/self/{file}"), text).map_err(|error| format!("{file}: {error}"))?;
        }
    }
    Ok(())
}

/// In the inner process: from here on it ends with the outer one.
fn follow_outer(go: &OwnedFd) {
    // The maker of the namespaces is gone when this comes; before, its end would be taken for the
    // outer's. Nothing comes when the outer has ended.
    let told = rustix::io::retry_on_intr(|| rustix::io::read(go, &mut [0_u8; 1]));
    let follows = set_parent_process_death_signal(Some(Signal::KILL));
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut outer = [PollFd::new(go, PollFlags::empty())];
    let is_gone = poll(&mut outer, Some(&at_once)) != Ok(0);
    if told != Ok(1) || follows.is_err() || is_gone {
        end(1);
    }
}

/// In the outer process: the inner one's number, once it has settled.
fn meet_inner(
    child: Pid,
    namespaces: UnshareFlags,
    status: &mut BufReader<File>,
    mut go: &File,
) -> Result<Pid, String> {
    let has_maker = !namespaces.is_empty();
    if has_maker {
        let ended = waitpid(Some(child), WaitOptions::empty()).map_err(|error| format!("waiting: {error}"))?;
        if let Some(signal) = ended.and_then(|(_, status)| status.terminating_signal()) {
            return Err(format!("making namespaces ended by signal {signal}"));
        }
    }
    // It can fail only if the inner one has ended, which the other pipe tells.
    let _ = go.write_all(b"g");
    // Maker and inner one write at the same time: their lines come in either order.
    let (mut inner, mut is_ready) = ((!has_maker).then_some(child), false);
    for line in status.lines() {
        let line = line.map_err(|error| format!("reading from the confined process: {error}"))?;
        match line.split_once(' ') {
            Some(("inner", number)) => inner = number.parse().ok().and_then(Pid::from_raw),
            Some(("refused", reason)) => return Err(reason.to_owned()),
            _ => is_ready = true,
        }
        if let (Some(inner), true) = (inner, is_ready) {
            return Ok(inner);
        }
    }
    Err("the confined process ended at once".to_owned())
}

fn tell(mut status: &File, line: &str) {
    // Shorter than a pipe's atomic write. Without an outer process nobody needs to know.
    let _ = status.write_all(format!("{line}\n").as_bytes());
}

fn refuse(status: &File, reason: &str) -> ! {
    tell(status, &format!("refused {}", reason.replace('\n', " ")));
    end(0)
}

/// Whether another process can be started.
pub(super) fn can_fork() -> bool {
    match fork() {
        Ok(Forked::Child) => end(0),
        Ok(Forked::Parent(child)) => waitpid(Some(child), WaitOptions::empty()).is_ok(),
        Err(_) => false,
    }
}

/// The C library's fork, so that the child may use all of it. Only for a process with one thread.
#[expect(unsafe_code, reason = "creating a process by hand")]
pub(super) fn fork() -> Result<Forked, Errno> {
    // SAFETY: the process has one thread (checked on entering), so no lock is held by another one
    // that the child would lack.
    match unsafe { libc::fork() } {
        0 => Ok(Forked::Child),
        -1 => Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::AGAIN)),
        child => Pid::from_raw(child).map(Forked::Parent).ok_or(Errno::AGAIN),
    }
}

/// Ends this process at once, without anything that was registered for an exit.
#[expect(unsafe_code, reason = "an ordinary exit would run the original's handlers")]
pub(super) fn end(code: u8) -> ! {
    // SAFETY: ends the process; no memory is involved.
    unsafe { libc::_exit(i32::from(code)) }
}
