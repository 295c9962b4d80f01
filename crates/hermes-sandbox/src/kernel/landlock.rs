//! Landlock: restricting which files a process may touch, without privileges.

use super::last_error;

/// Asks `landlock_create_ruleset` for the version instead of a rule set.
const CREATE_RULESET_VERSION: libc::c_uint = 1;

/// Whether and which Landlock the kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Landlock {
    /// The version of its interface, from 1.
    Available { abi: u32 },
    /// The kernel was built without it, or a seccomp filter pretends so.
    NotBuilt,
    /// Built, but left out of the security modules chosen at boot (`lsm=`).
    NotEnabled,
    /// Refused for another reason: the error number.
    Refused(i32),
}

impl Landlock {
    /// The version of the interface, 0 when there is none.
    pub fn abi(self) -> u32 {
        match self {
            Self::Available { abi } => abi,
            Self::NotBuilt | Self::NotEnabled | Self::Refused(_) => 0,
        }
    }

    fn from_error(error: i32) -> Self {
        match error {
            libc::ENOSYS => Self::NotBuilt,
            libc::EOPNOTSUPP => Self::NotEnabled,
            other => Self::Refused(other),
        }
    }
}

#[expect(unsafe_code, reason = "no safe wrapper asks for the version alone")]
pub(super) fn probe() -> Landlock {
    let no_attributes = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the kernel wants a null pointer and size 0, reads no
    // memory and creates nothing; it answers with a number.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, no_attributes, 0_usize, CREATE_RULESET_VERSION) };
    match u32::try_from(answer) {
        Ok(abi) => Landlock::Available { abi },
        Err(_) => Landlock::from_error(last_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::Landlock;

    #[test]
    fn the_reason_for_no_landlock_is_kept() {
        for (error, expected) in [
            (libc::ENOSYS, Landlock::NotBuilt),
            (libc::EOPNOTSUPP, Landlock::NotEnabled),
            (libc::EPERM, Landlock::Refused(libc::EPERM)),
        ] {
            assert_eq!(Landlock::from_error(error), expected);
            assert_eq!(expected.abi(), 0);
        }
        assert_eq!(Landlock::Available { abi: 7 }.abi(), 7);
    }
}
