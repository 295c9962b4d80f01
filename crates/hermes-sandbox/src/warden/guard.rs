//! The life of a warden.
//!
//! It watches until the last descendant is gone. On an order it asks everyone to end, gives
//! them a moment, then kills its children again and again: whoever fled by forking twice
//! becomes a child of the warden the moment its own parent dies. Its news is `SIGCHLD`, its
//! orders are `SIGTERM`, so one queue wakes it and nothing is polled.
//!
//! Only system calls, no allocation: see the module's head.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group, set_child_subreaper,
    set_parent_process_death_signal, wait,
};
use rustix::time::{ClockId, Timespec, clock_gettime};

use super::children;
use super::orders::{Orders, borrowed};
use super::raw::{self, clone_onto};
use super::report::{Report, StartStep};
use super::shell::{become_shell, end};
use super::signals::{Awaited, Woken, forget_actions};

/// What the shell's process needs of a stack before it is a shell: a few small frames.
const SHELL_STACK: usize = 64 * 1024;

/// Where a warden begins.
#[expect(unsafe_code, reason = "an argument that has gone through the kernel")]
pub(super) extern "C" fn guard_main(orders: *mut c_void) -> ! {
    // SAFETY: `Launch::start` made it from orders that are freed only after this process was reaped, and
    // that nobody changes meanwhile.
    guard(unsafe { &*orders.cast::<Orders>() })
}

/// Is the warden until nothing is left to guard.
fn guard(orders: &Orders) -> ! {
    forget_actions();
    let _ = set_parent_process_death_signal(Some(Signal::TERM));
    // The executor may have died before the signal was asked for.
    if getppid() != Some(orders.executor) || set_child_subreaper(Some(getpid())).is_err() {
        end(1);
    }
    let process = match start_shell(orders) {
        Ok(process) => process,
        Err(error) => {
            Report::Failed { step: StartStep::Fork, error }.send(borrowed(orders.report));
            end(1)
        }
    };
    keep_only(orders.report);
    let _ = rustix::process::chdir(c"/");
    let _ = rustix::thread::set_name(c"hermes-warden");
    if orders.tells_start {
        Report::Started { process: process.as_raw_nonzero().get() }.send(borrowed(orders.report));
    }
    watch(process, borrowed(orders.report), orders.grace)
}

/// Makes the process that becomes the shell. The warden sleeps until it has.
#[expect(unsafe_code, reason = "creating a process by hand")]
fn start_shell(orders: &Orders) -> Result<Pid, i32> {
    const FLAGS: i32 = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let mut stack = ShellStack([MaybeUninit::uninit(); SHELL_STACK]);
    let top = stack.0.as_mut_ptr_range().end.cast::<u8>();
    let argument = ptr::from_ref(orders).cast_mut().cast::<c_void>();
    // SAFETY: the new process runs `shell_main` on a stack that is not touched by anybody else:
    // this one sleeps until it has become a program or ended (CLONE_VFORK). `orders` outlives that.
    let process = unsafe { clone_onto(top, FLAGS, ptr::null_mut(), shell_main, argument) }?;
    Pid::from_raw(process).ok_or(libc::ESRCH)
}

/// As a stack has to be.
#[repr(align(16))]
struct ShellStack([MaybeUninit<u8>; SHELL_STACK]);

/// Where the shell's process begins.
#[expect(unsafe_code, reason = "an argument that has gone through the kernel")]
extern "C" fn shell_main(orders: *mut c_void) -> ! {
    // SAFETY: `start_shell` made it from a reference that lives until this process has
    // become another program or ended.
    become_shell(unsafe { &*orders.cast::<Orders>() })
}

/// Closes every descriptor but this one: a warden must not hold the link, nor a pipe of any command.
fn keep_only(kept: RawFd) {
    let kept = kept.cast_unsigned();
    if kept > 0 {
        close_range(0, kept.wrapping_sub(1));
    }
    close_range(kept.wrapping_add(1), u32::MAX);
}

/// Closes descriptors. A kernel before 5.9 cannot do it at once: one by one, as far as a default
/// limit reaches.
#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn close_range(first: u32, last: u32) {
    // SAFETY: the owners of the descriptors are in the executor and mean its own table; this process
    // has a copy of it that nothing else uses.
    unsafe {
        if raw::call(libc::SYS_close_range, [first as usize, last as usize, 0, 0, 0]).is_err() {
            for descriptor in first..=last.min(4096) {
                let _ = raw::call(libc::SYS_close, [descriptor as usize, 0, 0, 0, 0]);
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

fn watch(process: Pid, report: BorrowedFd<'_>, grace: Duration) -> ! {
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
                Stage::Asked(now().saturating_add(grace))
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
