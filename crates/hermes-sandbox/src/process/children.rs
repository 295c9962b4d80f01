//! Makes sure that children that ended wait for us.
//!
//! A process that was started with SIGCHLD ignored (some daemons and `nohup`-like
//! wrappers do that) keeps no ended children: their numbers are free for strangers at
//! once, waiting for them fails, and a signal to one may reach somebody else.

use std::sync::Once;

/// Undoes an inherited "ignore". A handler that somebody here installed is kept.
pub(super) fn keep_the_ended() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        if is_ignored() {
            set_to_default();
        }
    });
}

#[expect(unsafe_code, reason = "rustix leaves signal dispositions to the C library")]
fn is_ignored() -> bool {
    // SAFETY: a null action only asks; all zeros is a valid value of the structure, which
    // is valid for writing during the call.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

#[expect(unsafe_code, reason = "rustix leaves signal dispositions to the C library")]
fn set_to_default() {
    // SAFETY: the default action runs no code of ours; all zeros is that action, with no
    // flags and an empty mask.
    unsafe {
        let action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut());
    }
}
