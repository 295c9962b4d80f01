//! The system calls that nothing inside has any business with.
//!
//! A list of what is forbidden, not of what is allowed: programs of all kinds run inside,
//! and most of the kernel's calls are harmless to a process without privileges. Those
//! here reach other processes, the kernel's own tools, or have been the way out before.

/// Refused as not permitted.
pub(super) const FORBIDDEN: &[i64] = &[
    // Mounts.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    // Namespaces of others (new ones are recognised by their flags).
    libc::SYS_setns,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // The kernel's own tools.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_syslog,
    libc::SYS_lookup_dcookie,
    // Keys, which namespaces keep apart only in part.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Files by number instead of by path.
    libc::SYS_open_by_handle_at,
    // The machine.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_nfsservctl,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

/// Refused as if the kernel did not have them, so that programs use what they used before.
pub(super) const UNKNOWN: &[i64] = &[
    // Its flags are behind a pointer, where no filter can look.
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Same number on all architectures, not yet in the C library's list.
const OPEN_TREE_ATTR: i64 = 467;

/// Each makes or enters a namespace.
pub(super) const NAMESPACE_FLAGS: &[i32] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// Only for `unshare`; in `clone` the bit belongs to the signal.
pub(super) const TIME_NAMESPACE: i32 = 0x80;

/// Put words into a terminal's input, or change what it is.
pub(super) const TERMINAL_REQUESTS: &[u64] = &[libc::TIOCSTI, TIOCLINUX, libc::TIOCCONS, TIOCSETD];
const TIOCLINUX: u64 = 0x541C;
const TIOCSETD: u64 = 0x5423;

/// The kinds of sockets that programs use. All others have had holes and no use here.
pub(super) const SOCKET_FAMILIES: &[i32] = &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// Calls that change a file's mode, and which argument the mode is.
pub(super) const MODE_CHANGES: &[(i64, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
];
const FCHMODAT2: i64 = 452;

/// Harmless personalities: ordinary, 32 bit, and the question which one it is.
pub(super) const PERSONALITIES: &[u64] = &[0x0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];
