//! Tries something in a child process, so that the caller is not changed by it.
//!
//! The child is a copy of one thread of a process that may have many: locks that
//! others held stay locked forever in it. So it makes system calls and nothing else,
//! has all signals blocked (a handler there would act in the parent's name), and is
//! not announced by SIGCHLD, which a runtime in the parent would take for its own.

use std::os::fd::OwnedFd;

use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};

use super::last_error;

/// Where an attempt failed, and the error number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) step: u8,
    pub(super) error: i32,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    Succeeded,
    Refused(Refusal),
    /// The child died of this signal while trying.
    Killed(i32),
}

/// Runs `steps` in a child process and reports what it answered; the error number if
/// there could be no child.
///
/// # Safety
///
/// `steps` must do nothing but make system calls: no allocation, no lock, no panic.
#[expect(unsafe_code, reason = "only the caller knows what the steps do")]
pub(super) unsafe fn attempt(steps: fn() -> Result<(), Refusal>) -> Result<Attempt, i32> {
    let (answer, question) = pipe_with(PipeFlags::CLOEXEC).map_err(Errno::raw_os_error)?;
    let signals = BlockedSignals::new();
    // SAFETY: the child makes system calls only (the caller's promise for `steps`; the
    // rest is `report`) and never returns from this block.
    let child = match unsafe { fork() }? {
        Forked::Child => {
            let outcome = steps();
            report(&question, outcome)
        }
        Forked::Parent { child } => child,
    };
    drop(signals);
    drop(question);
    let answer = read_answer(&answer);
    let signal = wait_for(child);
    Ok(match answer {
        Some([0, _]) => Attempt::Succeeded,
        Some([step, error]) => Attempt::Refused(Refusal { step, error: i32::from(error) }),
        None => Attempt::Killed(signal),
    })
}

/// One process became two.
pub(super) enum Forked {
    Child,
    Parent { child: i32 },
}

/// Forks without the C library's part in it, which may take locks. The child sends
/// no SIGCHLD; it is waited for by [`wait_for`].
///
/// # Safety
///
/// Until it ends by [`end`], the child may only make system calls.
#[expect(unsafe_code, reason = "creating a process by hand")]
pub(super) unsafe fn fork() -> Result<Forked, i32> {
    const NOTHING_SHARED_NO_SIGNAL: libc::c_ulong = 0;
    // SAFETY: no flag and no stack means a copy of this process, as fork makes it; that
    // the copy keeps to system calls is the caller's promise.
    match unsafe { libc::syscall(libc::SYS_clone, NOTHING_SHARED_NO_SIGNAL, 0_usize, 0_usize, 0_usize, 0_usize) } {
        0 => Ok(Forked::Child),
        child => i32::try_from(child)
            .ok()
            .filter(|child| *child > 0)
            .map_or_else(|| Err(last_error()), |child| Ok(Forked::Parent { child })),
    }
}

/// Ends the child at once, without anything that was registered for an exit.
#[expect(unsafe_code, reason = "an ordinary exit would run the parent's handlers")]
pub(super) fn end(code: i32) -> ! {
    // SAFETY: ends the process; no memory is involved.
    unsafe { libc::_exit(code) }
}

/// Waits for a child of [`fork`]; the signal that ended it, or 0.
#[expect(unsafe_code, reason = "rustix cannot wait for a child that sends no signal")]
pub(super) fn wait_for(child: i32) -> i32 {
    let mut status = 0;
    loop {
        // SAFETY: `status` is valid for writing during the call.
        let waited = unsafe { libc::waitpid(child, &raw mut status, libc::__WALL) };
        if waited == child {
            return if libc::WIFSIGNALED(status) { libc::WTERMSIG(status) } else { 0 };
        }
        if last_error() != libc::EINTR {
            return 0;
        }
    }
}

/// In the child: step 0 for success, else the step and its error number.
fn report(pipe: &OwnedFd, outcome: Result<(), Refusal>) -> ! {
    let answer = match outcome {
        Ok(()) => [0, 0],
        // Error numbers of all architectures that matter here fit a byte.
        Err(refusal) => [refusal.step, u8::try_from(refusal.error).unwrap_or(u8::MAX)],
    };
    let _ = rustix::io::write(pipe, &answer);
    end(0)
}

/// The child's answer; `None` if it died before it could give one.
fn read_answer(pipe: &OwnedFd) -> Option<[u8; 2]> {
    let mut answer = [0; 2];
    // Two bytes are written at once or not at all.
    match retry_on_intr(|| rustix::io::read(pipe, &mut answer)) {
        Ok(2) => Some(answer),
        _ => None,
    }
}

/// All signals of this thread are held back while this exists.
struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    #[expect(unsafe_code, reason = "rustix leaves signal masks to the C library")]
    fn new() -> Self {
        // SAFETY: a signal set is plain bits, for which zero is valid; both sets are valid
        // for the calls, which touch nothing else.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Self { before }
        }
    }
}

impl Drop for BlockedSignals {
    #[expect(unsafe_code, reason = "rustix leaves signal masks to the C library")]
    fn drop(&mut self) {
        // SAFETY: `before` was filled by the call that blocked the signals.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "the function under test is unsafe to call")]
mod tests {
    use super::{Attempt, Refusal, attempt, end};

    fn check(steps: fn() -> Result<(), Refusal>, expected: Attempt) {
        // SAFETY: all steps below are constants or a system call.
        assert_eq!(unsafe { attempt(steps) }, Ok(expected));
    }

    #[test]
    fn the_childs_answer_arrives() {
        check(|| Ok(()), Attempt::Succeeded);
        check(|| Err(Refusal { step: 3, error: 28 }), Attempt::Refused(Refusal { step: 3, error: 28 }));
    }

    #[test]
    fn a_child_that_dies_is_noticed() {
        check(|| end(0), Attempt::Killed(0));
        check(
            || {
                let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
                Ok(())
            },
            Attempt::Killed(libc::SIGKILL),
        );
    }

    #[test]
    fn many_threads_may_ask_at_once() {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        drop(vec![0_u8; 4096]);
                        check(|| Err(Refusal { step: 1, error: 1 }), Attempt::Refused(Refusal { step: 1, error: 1 }));
                    }
                });
            }
        });
    }
}
