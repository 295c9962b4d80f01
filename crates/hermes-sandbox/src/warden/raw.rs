//! System calls without the C library.
//!
//! A warden and the shell's process share the executor's memory, and with it the place where
//! the C library keeps the error number of the executor's thread. A wrapper that failed there would
//! write into the executor's next error. These calls keep theirs in a register.

use std::arch::asm;
use std::ffi::c_void;

/// Where a process that was made here begins. It has nowhere to return to.
pub(super) type Entry = extern "C" fn(*mut c_void) -> !;

/// One system call; the error number if it failed.
///
/// # Safety
/// The call must be sound with these arguments: pointers valid for what the kernel does with them, and
/// nothing of this process's memory or descriptors changed behind their owners' backs.
#[expect(unsafe_code, reason = "the kernel's own interface")]
pub(super) unsafe fn call(number: libc::c_long, arguments: [usize; 5]) -> Result<usize, i32> {
    let [a, b, c, d, e] = arguments;
    let result: isize;
    // SAFETY: the kernel keeps all registers but those named; the rest is the caller's promise.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") a => result,
            in("x1") b, in("x2") c, in("x3") d, in("x4") e,
            options(nostack),
        );
    }
    check(result)
}

/// A new process that shares this one's memory and begins in `entry` on a stack of its own. Where
/// `flags` ask for a descriptor of it, its number is written to `descriptor`.
///
/// # Safety
/// `stack` is the upper end, aligned to 16, of memory that nobody else uses until the process has
/// ended or become another program; what `argument` points to lives as long. `entry` makes system
/// calls and nothing else.
#[expect(unsafe_code, reason = "creating a process by hand")]
pub(super) unsafe fn clone_onto(
    stack: *mut u8,
    flags: i32,
    descriptor: *mut i32,
    entry: Entry,
    argument: *mut c_void,
) -> Result<i32, i32> {
    let flags = flags as usize;
    let result: isize;
    // SAFETY: in this process the call returns as any other. In the new one it returns with an empty
    // stack, from where only `entry` is called, which does not return.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r13",
            "call r12",
            "ud2",
            "2:",
            inlateout("rax") libc::SYS_clone => result,
            in("rdi") flags, in("rsi") stack, in("rdx") descriptor, in("r10") 0_usize, in("r8") 0_usize,
            in("r12") entry, in("r13") argument,
            lateout("rcx") _, lateout("r11") _,
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!(
            "svc 0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x30, xzr",
            "mov x0, x21",
            "blr x20",
            "brk 1",
            "2:",
            in("x8") libc::SYS_clone,
            inlateout("x0") flags => result,
            in("x1") stack, in("x2") descriptor, in("x3") 0_usize, in("x4") 0_usize,
            in("x20") entry, in("x21") argument,
            lateout("x30") _,
        );
    }
    check(result).and_then(|process| i32::try_from(process).map_err(|_| libc::ESRCH))
}

fn check(result: isize) -> Result<usize, i32> {
    // The kernel gives an error as its negative number, of which there are fewer than 4096.
    if (-4095..0).contains(&result) { Err(result.unsigned_abs() as i32) } else { Ok(result.cast_unsigned()) }
}

#[cfg(test)]
mod tests {
    use super::call;

    #[test]
    fn results_and_errors_come_back() {
        let own = u32::try_from(own_number().unwrap()).unwrap();
        assert_eq!(own, std::process::id());
        assert_eq!(close(usize::MAX), Err(libc::EBADF));
    }

    #[expect(unsafe_code, reason = "the call under test")]
    fn own_number() -> Result<usize, i32> {
        // SAFETY: takes nothing and changes nothing.
        unsafe { call(libc::SYS_getpid, [0; 5]) }
    }

    #[expect(unsafe_code, reason = "the call under test")]
    fn close(descriptor: usize) -> Result<usize, i32> {
        // SAFETY: no descriptor has this number.
        unsafe { call(libc::SYS_close, [descriptor, 0, 0, 0, 0]) }
    }
}
