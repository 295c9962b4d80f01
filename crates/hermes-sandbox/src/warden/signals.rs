//! The signals of a warden and of the shell below it.
//!
//! A handler of the executor that ran in the copy would act in the executor's name, so all
//! signals are blocked from before the fork on. The warden takes its two out of the queue
//! when it wants them; the shell gets a clean slate just before it becomes a program.

use std::mem;
use std::ptr;
use std::time::Duration;

use super::raw;

/// All signals of this thread are held back while this exists.
#[derive(Debug)]
pub(super) struct Blocked {
    before: libc::sigset_t,
}

impl Blocked {
    #[expect(unsafe_code, reason = "rustix leaves signal masks to the C library")]
    pub(super) fn new() -> Self {
        // SAFETY: a signal set is plain bits, for which zero is valid; both sets are valid
        // for the calls, which touch nothing else.
        unsafe {
            let mut all: libc::sigset_t = mem::zeroed();
            let mut before: libc::sigset_t = mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Self { before }
        }
    }
}

impl Drop for Blocked {
    #[expect(unsafe_code, reason = "rustix leaves signal masks to the C library")]
    fn drop(&mut self) {
        // SAFETY: `before` was filled by the call that blocked the signals.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}

/// What woke the warden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// A child changed.
    Child,
    /// Everything is to end.
    Order,
    /// Nothing came in the time given.
    Clock,
}

/// The two signals a warden waits for, as the kernel's set of bits.
#[derive(Debug)]
pub(super) struct Awaited(u64);

/// Bytes of a kernel's set of signals.
const SET_LENGTH: usize = size_of::<u64>();

impl Awaited {
    pub(super) fn new() -> Self {
        Self(bit(libc::SIGCHLD) | bit(libc::SIGTERM))
    }

    /// Sleeps until one of them comes, at most this long.
    #[expect(unsafe_code, reason = "rustix cannot wait for a signal")]
    pub(super) fn wait(&self, longest: Option<Duration>) -> Woken {
        const TERMINATE: usize = libc::SIGTERM as usize;
        const CHILD: usize = libc::SIGCHLD as usize;
        let time = longest.map(|longest| libc::timespec {
            tv_sec: libc::time_t::try_from(longest.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: libc::c_long::from(longest.subsec_nanos().cast_signed()),
        });
        let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
        let arguments = [ptr::from_ref(&self.0).addr(), 0, time.addr(), SET_LENGTH, 0];
        // SAFETY: the set and the time (or null for ever) are valid during the call; where
        // the signal came from is not asked for.
        match unsafe { raw::call(libc::SYS_rt_sigtimedwait, arguments) } {
            Ok(TERMINATE) => Woken::Order,
            Ok(CHILD) => Woken::Child,
            // EAGAIN when the time is over; EINTR cannot be told apart from a child's news
            // and asks for the same: look again. Without a limit only the latter can be.
            _ if longest.is_some() => Woken::Clock,
            _ => Woken::Child,
        }
    }
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Every signal does by default what it does by default, those that the C library keeps to
/// itself included: a parent may have ignored them for us. The mask stays as it is.
#[expect(unsafe_code, reason = "rustix leaves signal actions to the C library")]
pub(super) fn forget_actions() {
    const LAST: usize = 64;
    /// Action, flags, restorer and mask of the kernel's own structure, with room to spare.
    const DEFAULT_ACTION: [u64; 8] = [0; 8];
    for signal in 1..=LAST {
        // SAFETY: the kernel reads its structure, which all zeros make the default action
        // without flags, and writes nothing; numbers that cannot be set are refused. Actions are this
        // process's own, though its memory is not.
        let _ =
            unsafe { raw::call(libc::SYS_rt_sigaction, [signal, DEFAULT_ACTION.as_ptr().addr(), 0, SET_LENGTH, 0]) };
    }
}

/// No signal is held back any more.
#[expect(unsafe_code, reason = "rustix leaves signal masks to the C library")]
pub(super) fn unblock_all() {
    const NONE: u64 = 0;
    let arguments = [libc::SIG_SETMASK as usize, ptr::from_ref(&NONE).addr(), 0, SET_LENGTH, 0];
    // SAFETY: the kernel reads the set and changes this process's mask only.
    let _ = unsafe { raw::call(libc::SYS_rt_sigprocmask, arguments) };
}
