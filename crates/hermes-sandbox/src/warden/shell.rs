//! From a fork of the warden to the shell: descriptors, directory, terminal, signals, exec.
//!
//! Only system calls, no allocation: see the module's head. The descriptors that the shell
//! gets have fixed numbers, and any of them may at first be occupied by another one that it
//! gets too; so all are first copied above the highest fixed number.

use std::convert::Infallible;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use super::guard::Orders;
use super::launch::HIGHEST_PASSED;
use super::report::{Report, StartStep};
use super::signals;

/// Becomes the shell, or says over `report` why not, and ends. The warden it is a copy of has
/// already forgotten all signal actions.
pub(super) fn become_shell(orders: &Orders<'_>) -> ! {
    let Err((step, error)) = prepare(orders);
    // The report's own descriptor may have been replaced on the way; the copy has not.
    if let Some(report) = copy_above(orders.report_copy.get()) {
        Report::Failed { step, error }.send(report);
    }
    end(127)
}

/// Ends at once, without anything that was registered for an exit.
#[expect(unsafe_code, reason = "an ordinary exit would run the executor's handlers")]
pub(super) fn end(code: i32) -> ! {
    // SAFETY: ends the process; no memory is involved.
    unsafe { libc::_exit(code) }
}

fn prepare(orders: &Orders<'_>) -> Result<Infallible, (StartStep, i32)> {
    // Cannot fail: a fresh fork leads no group.
    let _ = rustix::process::setsid();
    let failed = |step: StartStep| move |error: i32| (step, error);
    orders.report_copy.set(raise(orders.report.as_raw_fd()).map_err(failed(StartStep::Descriptors))?);
    rustix::process::fchdir(orders.directory).map_err(|error| (StartStep::Directory, error.raw_os_error()))?;
    place_descriptors(orders).map_err(failed(StartStep::Descriptors))?;
    if orders.takes_terminal {
        take_terminal().map_err(failed(StartStep::Terminal))?;
    }
    signals::unblock_all();
    Err((StartStep::Execute, execute(orders)))
}

/// Each passed descriptor gets its number; all others will close.
fn place_descriptors(orders: &Orders<'_>) -> Result<(), i32> {
    let mut raised = [-1; 8];
    for (copy, passed) in raised.iter_mut().zip(orders.passed) {
        *copy = raise(passed.source.as_raw_fd())?;
    }
    close_on_exec_from(3);
    for (copy, passed) in raised.iter().zip(orders.passed) {
        duplicate_to(*copy, passed.target)?;
    }
    Ok(())
}

/// A copy with a number above all fixed ones, which closes on exec.
#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn raise(descriptor: RawFd) -> Result<RawFd, i32> {
    let above = HIGHEST_PASSED.wrapping_add(1);
    // SAFETY: duplicates a number; no memory is involved.
    match unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, above) } {
        -1 => Err(last_error()),
        copy => Ok(copy),
    }
}

/// A descriptor that [`raise`] made, if it did.
#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn copy_above(number: RawFd) -> Option<BorrowedFd<'static>> {
    // SAFETY: numbers above the fixed ones are never replaced here, and this process ends
    // before anything else could close it.
    (number > HIGHEST_PASSED).then(|| unsafe { BorrowedFd::borrow_raw(number) })
}

#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn duplicate_to(source: RawFd, target: RawFd) -> Result<(), i32> {
    // SAFETY: replaces a number in this process, which will never again use what it meant.
    if unsafe { libc::dup2(source, target) } == -1 { Err(last_error()) } else { Ok(()) }
}

/// What we were started with and did not mark ourselves must not reach a command either.
/// Kernels before 5.11 cannot do it at once; there only our own marks hold.
#[expect(unsafe_code, reason = "rustix has no close_range")]
fn close_on_exec_from(first: libc::c_uint) {
    // SAFETY: changes marks of descriptors; no memory is involved.
    unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn take_terminal() -> Result<(), i32> {
    // SAFETY: makes standard input the terminal of this session; no memory is involved.
    if unsafe { libc::ioctl(libc::STDIN_FILENO, libc::TIOCSCTTY, 0) } == -1 { Err(last_error()) } else { Ok(()) }
}

/// Returns only if it failed, with the error number.
#[expect(unsafe_code, reason = "rustix's own is hidden behind its runtime feature")]
fn execute(orders: &Orders<'_>) -> i32 {
    // SAFETY: `Launch` made all three from C strings that it still owns in this copy of its
    // memory, and ended both lists with a null pointer.
    unsafe { libc::execve(orders.program.as_ptr(), orders.arguments.as_ptr(), orders.environment.as_ptr()) };
    last_error()
}

/// The error number of the call just made.
#[expect(unsafe_code, reason = "reading the C library's error number without its wrapper types")]
pub(super) fn last_error() -> i32 {
    // SAFETY: the location is valid for this thread as long as it lives.
    unsafe { *libc::__errno_location() }
}
