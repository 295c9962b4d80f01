//! The filter of system calls.
//!
//! Numbers of arguments are compared in the width in which the kernel reads them: a
//! wider comparison would be passed by setting bits that the kernel ignores. The second
//! entry to the same calls on x86 (x32) is closed before all else.

use std::collections::BTreeMap;
use std::io;

use rustix::io::Errno;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::syscalls::{
    FORBIDDEN, MODE_CHANGES, NAMESPACE_FLAGS, PERSONALITIES, SOCKET_FAMILIES, TERMINAL_REQUESTS, TIME_NAMESPACE,
    UNKNOWN,
};
use super::{Applied, Entering, Failed, UnixSockets, must_fail};
use crate::confine::Network;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

pub(super) fn apply(entering: &Entering<'_>) -> Result<Applied, Failed> {
    let failed = |error: seccompiler::Error| Failed { step: "installing the filter", source: io::Error::other(error) };
    let programs = programs(entering).map_err(|error| failed(error.into()))?;
    for (number, program) in programs.iter().enumerate() {
        match apply_filter(program) {
            Ok(()) => {}
            Err(seccompiler::Error::Seccomp(error)) if number == 0 => {
                return Ok(Applied::Missing(format!("the kernel takes no filter: {error}")));
            }
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(Applied::InForce)
}

/// Calls that would fail for other reasons, or succeed, without the filter.
pub(super) fn prove(_: &Entering<'_>) -> Result<String, String> {
    let attempts = attempts();
    for (name, number, arguments, expected) in &attempts {
        must_fail(name, call(*number, *arguments), &[*expected])?;
    }
    Ok(format!("{} system calls were refused, among them unshare, mount, ptrace and bpf", attempts.len()))
}

type Attempt = (&'static str, i64, [u64; 3], Errno);

fn attempts() -> Vec<Attempt> {
    const NOTHING: u64 = u64::MAX;
    let new_user = libc::CLONE_NEWUSER as u64;
    let vsock = libc::AF_VSOCK as u64;
    let mut attempts = vec![
        ("unshare", libc::SYS_unshare, [new_user, 0, 0], Errno::PERM),
        ("clone of a namespace", libc::SYS_clone, [new_user | 0x100, 0, 0], Errno::PERM),
        ("clone3", libc::SYS_clone3, [0, 0, 0], Errno::NOSYS),
        ("setns", libc::SYS_setns, [NOTHING, 0, 0], Errno::PERM),
        ("mount", libc::SYS_mount, [0, 0, 0], Errno::PERM),
        ("fsopen", libc::SYS_fsopen, [0, 0, 0], Errno::PERM),
        ("ptrace", libc::SYS_ptrace, [1, 0, 0], Errno::PERM),
        ("process_vm_readv", libc::SYS_process_vm_readv, [0, 0, 0], Errno::PERM),
        ("pidfd_getfd", libc::SYS_pidfd_getfd, [NOTHING, 0, 0], Errno::PERM),
        ("bpf", libc::SYS_bpf, [NOTHING, 0, 0], Errno::PERM),
        ("perf_event_open", libc::SYS_perf_event_open, [0, 0, 0], Errno::PERM),
        ("userfaultfd", libc::SYS_userfaultfd, [NOTHING, 0, 0], Errno::PERM),
        ("keyctl", libc::SYS_keyctl, [NOTHING, 0, 0], Errno::PERM),
        ("add_key", libc::SYS_add_key, [0, 0, 0], Errno::PERM),
        ("kexec_load", libc::SYS_kexec_load, [0, 0, 0], Errno::PERM),
        ("finit_module", libc::SYS_finit_module, [NOTHING, 0, 0], Errno::PERM),
        ("open_by_handle_at", libc::SYS_open_by_handle_at, [NOTHING, 0, 0], Errno::PERM),
        ("io_uring_setup", libc::SYS_io_uring_setup, [0, 0, 0], Errno::NOSYS),
        ("typing into a terminal", libc::SYS_ioctl, [0, TERMINAL_REQUESTS[0], 0], Errno::PERM),
        ("a socket to the hypervisor", libc::SYS_socket, [vsock, 1, 0], Errno::PERM),
    ];
    if cfg!(target_arch = "x86_64") {
        attempts.push(("ptrace by the second entry", X32 | 521, [1, 0, 0], Errno::NOSYS));
    }
    attempts
}

#[expect(unsafe_code, reason = "calls are made by number, to see them refused")]
fn call(number: i64, [first, second, third]: [u64; 3]) -> rustix::io::Result<()> {
    // SAFETY: every attempt passes descriptors and addresses that are not valid; a call that is
    // not refused fails on them, or changes this process, which ends with the proof.
    let answer = unsafe { libc::syscall(number, first, second, third, 0, 0, 0) };
    if answer != -1 { Ok(()) } else { Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)) }
}

fn programs(entering: &Entering<'_>) -> Result<Vec<BpfProgram>, BackendError> {
    let mut programs = Vec::new();
    if cfg!(target_arch = "x86_64") {
        programs.push(second_entry());
    }
    programs.push(compile(forbidden(entering)?, libc::EPERM)?);
    programs.push(compile(UNKNOWN.iter().map(|number| (*number, Vec::new())).collect(), libc::ENOSYS)?);
    Ok(programs)
}

fn compile(rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error.unsigned_abs()), architecture)?
        .try_into()
}

fn forbidden(entering: &Entering<'_>) -> Result<Rules, BackendError> {
    let mut rules: Rules = FORBIDDEN.iter().map(|number| (*number, Vec::new())).collect();
    let flags = |flags: &[i32]| {
        flags
            .iter()
            .map(|flag| rule(vec![has_bits(0, u64::from(flag.cast_unsigned()))?]))
            .collect::<Result<Vec<_>, _>>()
    };
    rules.insert(libc::SYS_clone, flags(NAMESPACE_FLAGS)?);
    rules.insert(libc::SYS_unshare, flags(&[NAMESPACE_FLAGS, &[TIME_NAMESPACE]].concat())?);
    let requests = TERMINAL_REQUESTS.iter().map(|request| rule(vec![is(1, *request)?]));
    rules.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    let other_personality = PERSONALITIES.iter().map(|value| is_not(0, *value));
    rules.insert(libc::SYS_personality, vec![rule(other_personality.collect::<Result<_, _>>()?)?]);
    rules.insert(libc::SYS_socket, sockets(entering)?);
    if entering.namespaces().is_err() {
        rules.extend(instead_of_namespaces()?);
    }
    Ok(rules)
}

/// Landlock does not look at modes, nor at the limits of other processes of the same user.
fn instead_of_namespaces() -> Result<Rules, BackendError> {
    let mut rules = Rules::new();
    for (number, argument) in MODE_CHANGES {
        let bits = [libc::S_ISUID, libc::S_ISGID];
        let changes = bits.map(|bit| rule(vec![has_bits(*argument, u64::from(bit))?]));
        rules.insert(*number, changes.into_iter().collect::<Result<_, _>>()?);
    }
    rules.insert(libc::SYS_prlimit64, vec![rule(vec![is_not(0, 0)?])?]);
    Ok(rules)
}

fn sockets(entering: &Entering<'_>) -> Result<Vec<SeccompRule>, BackendError> {
    let family = |family: i32| u64::from(family.unsigned_abs());
    let odd = SOCKET_FAMILIES.iter().map(|known| is_not(0, family(*known)));
    let mut rules = vec![rule(odd.collect::<Result<_, _>>()?)?];
    // Of the kernel's own sockets only the one that answers questions about addresses and routes.
    let routes = family(libc::NETLINK_ROUTE);
    rules.push(rule(vec![is(0, family(libc::AF_NETLINK))?, is_not(2, routes)?])?);
    if entering.unix_sockets.get() == UnixSockets::PairsOnly {
        rules.push(rule(vec![is(0, family(libc::AF_UNIX))?])?);
    }
    if entering.confinement.network == Network::Off && entering.namespaces().is_err() {
        rules.push(rule(vec![is(0, family(libc::AF_INET))?])?);
        rules.push(rule(vec![is(0, family(libc::AF_INET6))?])?);
    }
    Ok(rules)
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions)
}

fn has_bits(argument: u8, bits: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(bits), bits)
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// Set in the number of a call that is made in the 32-bit fashion by a 64-bit program.
const X32: i64 = 0x4000_0000;

/// Refuses every call whose number has [`X32`] set: the lists know only the plain numbers.
fn second_entry() -> BpfProgram {
    const NUMBER_OFFSET: u32 = 0;
    let step = |code: u32, jt: u8, jf: u8, k: u32| seccompiler::sock_filter { code: code as u16, jt, jf, k };
    vec![
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, NUMBER_OFFSET),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32 as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}
