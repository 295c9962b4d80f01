//! What a warden is told, in memory that it shares with the executor.
//!
//! The executor must neither change nor free it while the warden lives: it is made before the warden,
//! handed out as [`Memory`], and given back only after the warden was reaped.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_void};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::ptr;
use std::time::Duration;

use rustix::process::Pid;

use super::launch::{Launch, MOST_PASSED};

/// The warden's stack holds the shell's first one, and some lists.
const STACK: usize = 192 * 1024;
const ALIGNMENT: usize = 16;

/// Everything a warden needs. Descriptors are numbers, because the warden's own table is a
/// copy of the executor's, whatever becomes of those.
#[derive(Debug)]
pub(super) struct Orders {
    pub(super) program: CString,
    arguments: Pointers,
    environment: Pointers,
    /// Source and target of each descriptor that the shell gets.
    pub(super) passed: [Option<(RawFd, RawFd)>; MOST_PASSED],
    pub(super) directory: RawFd,
    pub(super) takes_terminal: bool,
    pub(super) tells_start: bool,
    pub(super) grace: Duration,
    pub(super) report: RawFd,
    /// Where the shell's process put its copy of `report`.
    pub(super) report_copy: Cell<RawFd>,
    pub(super) executor: Pid,
}

/// Strings as C wants a list of them.
#[derive(Debug)]
struct Pointers {
    /// Ends with null; points into the strings.
    list: Vec<*const c_char>,
    _strings: Vec<CString>,
}

impl Pointers {
    fn new(strings: Vec<CString>) -> Self {
        let list = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Self { list, _strings: strings }
    }
}

impl Orders {
    pub(super) fn new(launch: Launch<'_>, report: BorrowedFd<'_>, executor: Pid) -> Self {
        let mut passed = [None; MOST_PASSED];
        for (place, given) in passed.iter_mut().zip(&launch.passed) {
            *place = Some((given.source.as_raw_fd(), given.target));
        }
        Self {
            program: launch.program,
            arguments: Pointers::new(launch.arguments),
            environment: Pointers::new(launch.environment),
            passed,
            directory: launch.directory.as_raw_fd(),
            takes_terminal: launch.takes_terminal,
            tells_start: launch.tells_start,
            grace: launch.grace,
            report: report.as_raw_fd(),
            report_copy: Cell::new(-1),
            executor,
        }
    }

    pub(super) fn arguments(&self) -> *const *const c_char {
        self.arguments.list.as_ptr()
    }

    pub(super) fn environment(&self) -> *const *const c_char {
        self.environment.list.as_ptr()
    }
}

/// A descriptor of the orders, in the process that has a copy of it.
#[expect(unsafe_code, reason = "descriptors by number, without owners")]
pub(super) fn borrowed(number: RawFd) -> BorrowedFd<'static> {
    // SAFETY: the tables of a warden and of a shell's process are copies that only their own code
    // changes, and that keeps this number until its end.
    unsafe { BorrowedFd::borrow_raw(number) }
}

/// Orders and stack of one warden. Dropping it frees nothing: only who has reaped the warden may.
#[derive(Debug)]
pub struct Memory {
    orders: ManuallyDrop<Box<Orders>>,
    stack: ManuallyDrop<Box<[MaybeUninit<u8>]>>,
}

impl Memory {
    pub(super) fn new(orders: Orders) -> Self {
        let stack = Box::new_uninit_slice(STACK);
        Self { orders: ManuallyDrop::new(Box::new(orders)), stack: ManuallyDrop::new(stack) }
    }

    pub(super) fn orders(&self) -> *mut c_void {
        ptr::from_ref::<Orders>(&self.orders).cast_mut().cast()
    }

    /// The aligned upper end of the stack.
    pub(super) fn stack(&mut self) -> *mut u8 {
        let top = self.stack.as_mut_ptr_range().end.cast::<u8>();
        top.wrapping_sub(top.addr() % ALIGNMENT)
    }

    /// Frees it. The warden must have been reaped.
    pub fn release(self) {
        drop(ManuallyDrop::into_inner(self.orders));
        drop(ManuallyDrop::into_inner(self.stack));
    }
}
