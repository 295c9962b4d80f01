//! Seccomp: refusing system calls by a filter.

use rustix::thread::{SecureComputingMode, secure_computing_mode};

use super::last_error;

/// Whether this process may put a filter on its system calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seccomp {
    /// Filters work. `notify`: a filter can also pass a call to a supervisor.
    Filter { notify: bool },
    /// The kernel was built without filters.
    NotBuilt,
    /// Refused for another reason: the error number.
    Refused(i32),
}

pub(super) fn probe() -> Seccomp {
    match filter_mode_error() {
        // The filter at address 0 could not be read: it would have been taken.
        libc::EFAULT => Seccomp::Filter { notify: action_available(libc::SECCOMP_RET_USER_NOTIF) },
        libc::EINVAL | libc::ENOSYS => Seccomp::NotBuilt,
        other => Seccomp::Refused(other),
    }
}

/// Whether somebody (a container runtime, a service manager) filters us already.
pub(super) fn is_filtered() -> bool {
    matches!(secure_computing_mode(), Ok(SecureComputingMode::Filter))
}

/// Asks for a filter that cannot be read. Filter mode answers `EFAULT`, a kernel
/// without it `EINVAL`, before it looks at the address.
#[expect(unsafe_code, reason = "rustix does not install filters")]
fn filter_mode_error() -> i32 {
    let no_filter = std::ptr::null::<libc::c_void>();
    // SAFETY: the kernel copies the program from this address before it changes
    // anything; page zero is not mapped, the copy fails and nothing has happened.
    let answer = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, no_filter, 0, 0) };
    if answer == 0 { 0 } else { last_error() }
}

#[expect(unsafe_code, reason = "no safe wrapper has this question")]
fn action_available(action: u32) -> bool {
    const NO_FLAGS: libc::c_uint = 0;
    // SAFETY: the kernel reads four bytes from the address of `action`, which outlives
    // the call, and changes nothing.
    let answer =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, NO_FLAGS, &raw const action) };
    answer == 0
}

#[cfg(test)]
mod tests {
    use super::{action_available, is_filtered, probe};

    #[test]
    fn probing_leaves_the_process_unfiltered() {
        let before = is_filtered();
        probe();
        assert_eq!(is_filtered(), before);
    }

    #[test]
    fn an_action_that_does_not_exist_is_not_available() {
        assert!(!action_available(0x1234_0000));
    }
}
