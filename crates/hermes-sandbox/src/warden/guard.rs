//! The life of a warden.
//!
//! It watches until the last descendant is gone. On an order it asks everyone to end, gives
//! them a second, then kills its children again and again: whoever fled by forking twice
//! becomes a child of the warden the moment its own parent dies. Its news is `SIGCHLD`, its
//! orders are `SIGTERM`, so one queue wakes it and nothing is polled.
//!
//! Only system calls, no allocation: see the module's head.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::ptr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group, set_child_subreaper,
    set_parent_process_death_signal, wait,
};
use rustix::time::{ClockId, Timespec, clock_gettime};

use super::children;
use super::launch::Passed;
use super::report::{Report, StartStep};
use super::shell::{become_shell, end, last_error};
use super::signals::{Awaited, Woken, forget_actions};

/// From the polite signal to the one that cannot be ignored.
const GRACE: Duration = Duration::from_secs(1);

/// What the shell's process needs of a stack before it is a shell: a few small frames.
const SHELL_STACK: usize = 64 * 1024;

/// Everything a warden needs, made before the fork. Borrowed from the launch, whose memory
/// the fork copies.
#[derive(Debug)]
pub(super) struct Orders<'a> {
    pub(super) program: &'a CStr,
    /// Ends with null.
    pub(super) arguments: &'a [*const c_char],
    /// Ends with null.
    pub(super) environment: &'a [*const c_char],
    pub(super) passed: &'a [Passed<'a>],
    pub(super) directory: BorrowedFd<'a>,
    pub(super) takes_terminal: bool,
    pub(super) tells_start: bool,
    pub(super) report: BorrowedFd<'a>,
    /// Where the shell's fork put its copy of `report`.
    pub(super) report_copy: Cell<RawFd>,
    pub(super) executor: Pid,
}

/// Is the warden until nothing is left to guard.
pub(super) fn guard(orders: &Orders<'_>) -> ! {
    forget_actions();
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
    // The executor may have died before the signal was asked for.
    if getppid() != Some(orders.executor) || set_child_subreaper(Some(getpid())).is_err() {
        end(1);
    }
    let process = match start_shell(orders) {
        Ok(process) => process,
        Err(error) => {
            Report::Failed { step: StartStep::Fork, error }.send(orders.report);
            end(1)
        }
    };
    keep_only(orders.report.as_raw_fd());
    let _ = rustix::process::chdir(c"/");
    let _ = rustix::thread::set_name(c"hermes-warden");
    if orders.tells_start {
        Report::Started { process: process.as_raw_nonzero().get() }.send(orders.report);
    }
    watch(process, orders.report)
}

/// Makes the process that becomes the shell. It borrows the warden's memory until then, which
/// saves copying it a second time; the warden sleeps meanwhile.
#[expect(unsafe_code, reason = "creating a process by hand")]
fn start_shell(orders: &Orders<'_>) -> Result<Pid, i32> {
    let mut stack = [MaybeUninit::<u8>::uninit(); SHELL_STACK];
    let top = stack.as_mut_ptr_range().end.cast::<c_void>();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument = ptr::from_ref(orders).cast_mut().cast::<c_void>();
    // SAFETY: the child runs `shell_main` on a stack of its own, which is not touched by
    // anybody else: this process sleeps until the child has become a program or ended
    // (CLONE_VFORK). `orders` outlives that for the same reason.
    match unsafe { libc::clone(shell_main, top, flags, argument) } {
        -1 => Err(last_error()),
        child => Pid::from_raw(child).ok_or(libc::ESRCH),
    }
}

/// Where the shell's process begins.
#[expect(unsafe_code, reason = "an argument that has gone through C")]
extern "C" fn shell_main(orders: *mut c_void) -> c_int {
    // SAFETY: `start_shell` made it from a reference that lives until this process has
    // become another program or ended.
    become_shell(unsafe { &*orders.cast::<Orders<'_>>() })
}

/// Closes every descriptor but this one: a warden must not hold the link, nor a pipe of any command.
#[expect(unsafe_code, reason = "rustix has no close_range")]
fn keep_only(kept: RawFd) {
    let kept = kept.cast_unsigned();
    // SAFETY: the descriptors' owners are copies in this process, which are never used or
    // dropped again: `guard` does not return.
    unsafe {
        if kept > 0 {
            libc::syscall(libc::SYS_close_range, 0, kept.wrapping_sub(1), 0);
        }
        if libc::syscall(libc::SYS_close_range, kept.wrapping_add(1), libc::c_uint::MAX, 0) == -1 {
            // A kernel before 5.9: one by one, as far as a default limit reaches.
            for descriptor in (0..4096).filter(|descriptor| *descriptor != kept.cast_signed()) {
                libc::close(descriptor);
            }
        }
    }
}

/// How far the end of everything has come.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Watching,
    /// Everyone was asked to end; the time at which asking ends.
    Asked(Duration),
    Killing,
}

fn watch(process: Pid, report: BorrowedFd<'_>) -> ! {
    let awaited = Awaited::new();
    let mut stage = Stage::Watching;
    loop {
        reap(process, report);
        let longest = match stage {
            Stage::Watching => None,
            Stage::Asked(deadline) => Some(deadline.saturating_sub(now())),
            Stage::Killing => {
                children::for_each_child(&mut kill);
                None
            }
        };
        stage = match (stage, awaited.wait(longest)) {
            (Stage::Watching, Woken::Order) => {
                ask_all_to_end();
                Stage::Asked(now().saturating_add(GRACE))
            }
            (Stage::Asked(deadline), Woken::Clock) if now() >= deadline => Stage::Killing,
            (stage, _) => stage,
        };
    }
}

/// Reaps whoever has ended and tells of the shell's end. Without children left it is over.
fn reap(process: Pid, report: BorrowedFd<'_>) {
    let options = WaitOptions::NOHANG | WaitOptions::from_bits_retain(libc::__WALL.cast_unsigned());
    loop {
        match wait(options) {
            Ok(Some((ended, status))) if ended == process => tell(status, report),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return,
            Err(_) => end(0),
        }
    }
}

fn tell(status: WaitStatus, report: BorrowedFd<'_>) {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Report::Exited { code }.send(report),
        (None, Some(signal)) => Report::Signalled { signal }.send(report),
        (None, None) => {}
    }
}

/// The polite signal, once to each group: a program may count how often it is asked. Whoever
/// is stopped must go on to hear it.
fn ask_all_to_end() {
    let mut asked = [0; 64];
    children::for_each_child(&mut |child| {
        let Some(group) = foreign_group(child) else {
            let _ = kill_process(child, Signal::TERM);
            return;
        };
        if asked.contains(&group.as_raw_nonzero().get()) {
            return;
        }
        if let Some(free) = asked.iter_mut().find(|place| **place == 0) {
            *free = group.as_raw_nonzero().get();
        }
        let _ = kill_process_group(group, Signal::TERM);
        let _ = kill_process_group(group, Signal::CONT);
    });
}

/// The signal that cannot be ignored, to a child and all of its group.
fn kill(child: Pid) {
    if let Some(group) = foreign_group(child) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = kill_process(child, Signal::KILL);
}

/// The group a child is in, unless it is our own: that one has not become a shell yet. One that is
/// not in our namespace has the number 0, and to 1 would be to everybody.
fn foreign_group(child: Pid) -> Option<Pid> {
    let group = group_of(child.as_raw_nonzero().get());
    if group > 1 && group != group_of(0) { Pid::from_raw(group) } else { None }
}

/// 0 asks for our own; the answer is not a process number where there is none.
#[expect(unsafe_code, reason = "rustix takes for granted that the answer is not 0")]
fn group_of(process: i32) -> i32 {
    // SAFETY: asks for a number; no memory is involved.
    unsafe { libc::getpgid(process) }
}

/// Since some fixed moment.
fn now() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    let nanoseconds = u32::try_from(tv_nsec).unwrap_or(0);
    Duration::from_secs(tv_sec.cast_unsigned()).saturating_add(Duration::from_nanos(u64::from(nanoseconds)))
}
