//! The outer process: waits for the inner one, ends with its status, leaves nothing behind.

use std::fs::File;
use std::io::{BufReader, Read};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, waitpid};

use super::family::end;

/// What a shell adds to the number of a signal.
const SIGNALLED: i32 = 128;

/// Waits until everything inside has ended. `status` ends when the confinement is complete, or
/// with the inner process.
pub(super) fn supervise(inner: Pid, mut status: BufReader<File>, tidy: impl FnOnce()) -> ! {
    let signals = block_signals();
    // From now on the streams are the inner one's alone.
    release_streams();
    let _ = status.read_to_end(&mut Vec::new());
    close_the_rest();
    let code = loop {
        if let Some(code) = reap(inner) {
            break code;
        }
        if next_signal(&signals) != libc::SIGCHLD {
            let _ = kill_process(inner, Signal::KILL);
        }
    };
    tidy();
    end_the_orphans();
    end(u8::try_from(code).unwrap_or(u8::MAX))
}

/// Takes note of children that ended; the inner one's exit code if it is among them.
fn reap(inner: Pid) -> Option<i32> {
    while let Ok(Some((child, status))) = waitpid(None, WaitOptions::NOHANG) {
        if child == inner {
            return Some(code_of(status));
        }
    }
    None
}

fn code_of(status: WaitStatus) -> i32 {
    status.exit_status().or_else(|| status.terminating_signal().map(|signal| SIGNALLED + signal)).unwrap_or(SIGNALLED)
}

/// Without a namespace of processes, what the inner one left behind was adopted by us.
fn end_the_orphans() {
    let children = format!("/proc/self/task/{}/children", rustix::process::getpid().as_raw_nonzero());
    loop {
        let orphans = std::fs::read_to_string(&children).unwrap_or_default();
        for orphan in orphans.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)) {
            let _ = kill_process(orphan, Signal::KILL);
        }
        if orphans.is_empty() || waitpid(None, WaitOptions::empty()).is_err() {
            return;
        }
    }
}

fn release_streams() {
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    if let Ok(nothing) = rustix::fs::open("/dev/null", flags, Mode::empty()) {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
}

#[expect(unsafe_code, reason = "owned descriptors are closed behind their owners' backs")]
fn close_the_rest() {
    const FIRST: libc::c_uint = 3;
    // SAFETY: this process never returns to code that owns one of them.
    unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, 0) };
}

/// Children's ends and requests to end are waited for instead of acted on.
#[expect(unsafe_code, reason = "rustix leaves signal masks to the C library")]
fn block_signals() -> libc::sigset_t {
    // SAFETY: a signal set is plain bits, for which zero is valid; it is valid for the calls.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        set
    }
}

#[expect(unsafe_code, reason = "rustix leaves signal masks to the C library")]
fn next_signal(signals: &libc::sigset_t) -> i32 {
    // SAFETY: the set is valid for reading; no information about the signal is asked for.
    unsafe { libc::sigwaitinfo(&raw const *signals, std::ptr::null_mut()) }
}
