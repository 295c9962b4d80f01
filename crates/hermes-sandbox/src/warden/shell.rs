//! From a fork of the warden to the shell: descriptors, directory, terminal, signals, exec.
//!
//! Only system calls, no allocation: see the module's head. The descriptors that the shell
//! gets have fixed numbers, and any of them may at first be occupied by another one that it
//! gets too; so all are first copied above the highest fixed number.

use std::convert::Infallible;
use std::os::fd::{BorrowedFd, RawFd};

use super::launch::HIGHEST_PASSED;
use super::orders::{Orders, borrowed};
use super::raw;
use super::report::{Report, StartStep};
use super::signals;

/// Becomes the shell, or says over `report` why not, and ends. The warden it is a copy of has
/// already forgotten all signal actions.
pub(super) fn become_shell(orders: &Orders) -> ! {
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

fn prepare(orders: &Orders) -> Result<Infallible, (StartStep, i32)> {
    // Cannot fail: a fresh fork leads no group.
    let _ = rustix::process::setsid();
    let failed = |step: StartStep| move |error: i32| (step, error);
    orders.report_copy.set(raise(orders.report).map_err(failed(StartStep::Descriptors))?);
    rustix::process::fchdir(borrowed(orders.directory))
        .map_err(|error| (StartStep::Directory, error.raw_os_error()))?;
    place_descriptors(orders).map_err(failed(StartStep::Descriptors))?;
    if orders.takes_terminal {
        take_terminal().map_err(failed(StartStep::Terminal))?;
    }
    signals::unblock_all();
    Err((StartStep::Execute, execute(orders)))
}

/// Each passed descriptor gets its number; all others will close.
fn place_descriptors(orders: &Orders) -> Result<(), i32> {
    let mut raised = orders.passed;
    for (source, _) in raised.iter_mut().flatten() {
        *source = raise(*source)?;
    }
    close_on_exec_from(3);
    for (source, target) in raised.iter().flatten() {
        duplicate_to(*source, *target)?;
    }
    Ok(())
}

/// A copy with a number above all fixed ones, which closes on exec.
#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn raise(descriptor: RawFd) -> Result<RawFd, i32> {
    let above = HIGHEST_PASSED.wrapping_add(1);
    let (command, descriptor) = (libc::F_DUPFD_CLOEXEC as usize, descriptor as usize);
    // SAFETY: duplicates a number; no memory is involved.
    let copy = unsafe { raw::call(libc::SYS_fcntl, [descriptor, command, above as usize, 0, 0]) }?;
    RawFd::try_from(copy).map_err(|_| libc::EMFILE)
}

/// A descriptor that [`raise`] made, if it did. Numbers above the fixed ones are never replaced here.
fn copy_above(number: RawFd) -> Option<BorrowedFd<'static>> {
    (number > HIGHEST_PASSED).then(|| borrowed(number))
}

/// The source is above all targets, so they are never the same, which `dup3` would refuse.
#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn duplicate_to(source: RawFd, target: RawFd) -> Result<(), i32> {
    // SAFETY: replaces a number in this process, which will never again use what it meant.
    unsafe { raw::call(libc::SYS_dup3, [source as usize, target as usize, 0, 0, 0]) }.map(drop)
}

/// What we were started with and did not mark ourselves must not reach a command either.
/// Kernels before 5.11 cannot do it at once; there only our own marks hold.
#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn close_on_exec_from(first: usize) {
    let (last, mark) = (u32::MAX as usize, libc::CLOSE_RANGE_CLOEXEC as usize);
    // SAFETY: changes marks of descriptors; no memory is involved.
    let _ = unsafe { raw::call(libc::SYS_close_range, [first, last, mark, 0, 0]) };
}

#[expect(unsafe_code, reason = "descriptors by number, without owners")]
fn take_terminal() -> Result<(), i32> {
    let (input, request) = (libc::STDIN_FILENO as usize, libc::TIOCSCTTY as usize);
    // SAFETY: makes standard input the terminal of this session; no memory is involved.
    unsafe { raw::call(libc::SYS_ioctl, [input, request, 0, 0, 0]) }.map(drop)
}

/// Returns only if it failed, with the error number.
#[expect(unsafe_code, reason = "becoming another program")]
fn execute(orders: &Orders) -> i32 {
    let program = orders.program.as_ptr().addr();
    let (arguments, environment) = (orders.arguments().addr(), orders.environment().addr());
    // SAFETY: all three are made of C strings that the orders own, and both lists end with null.
    match unsafe { raw::call(libc::SYS_execve, [program, arguments, environment, 0, 0]) } {
        Ok(_) => 0,
        Err(error) => error,
    }
}
