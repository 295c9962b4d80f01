//! No privileges, and no way to get any: root inside is an ordinary user.
//!
//! Capabilities of a user namespace are as dangerous as real ones here: with them the
//! mounts that hide the host could be taken away.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{DumpableBehavior, getppid, set_dumpable_behavior};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, capability_is_in_bounding_set,
    clear_ambient_capability_set, no_new_privs, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits, set_no_new_privs,
};

use super::{Applied, Entering, Failed, Step, must_fail};

const NONE: CapabilitySets = CapabilitySets {
    effective: CapabilitySet::empty(),
    permitted: CapabilitySet::empty(),
    inheritable: CapabilitySet::empty(),
};

pub(super) fn apply(_: &Entering<'_>) -> Result<Applied, Failed> {
    set_no_new_privs(true).step("giving up new privileges")?;
    let held = capabilities(None).step("reading capabilities")?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        let root_is_ordinary = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
        set_capabilities_secure_bits(root_is_ordinary).step("taking root's privileges")?;
        empty_bounding_set().step("bounding capabilities")?;
    }
    match clear_ambient_capability_set() {
        Ok(()) | Err(Errno::INVAL) => {}
        Err(error) => return Err(Failed { step: "clearing ambient capabilities", source: error.into() }),
    }
    set_capabilities(None, NONE).step("dropping capabilities")?;
    // Others of the same user may not look into this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).step("closing this process to others")?;
    Ok(Applied::InForce)
}

pub(super) fn prove(_: &Entering<'_>) -> Result<String, String> {
    if !no_new_privs().is_ok_and(|set| set) {
        return Err("new privileges can still be gained".to_owned());
    }
    match capabilities(None) {
        Ok(NONE) => {}
        Ok(held) => return Err(format!("capabilities are left: {:?}", held.permitted)),
        Err(error) => return Err(format!("capabilities: {error}")),
    }
    let wanted = CapabilitySets { effective: CapabilitySet::CHOWN, permitted: CapabilitySet::CHOWN, ..NONE };
    must_fail("taking a capability", set_capabilities(None, wanted), &[Errno::PERM])?;
    let executor = getppid().map_or(1, |process| process.as_raw_nonzero().get());
    for name in ["environ", "mem", "maps", "fd/0"] {
        let path = format!("/proc/{executor}/{name}");
        if fs::File::open(&path).is_ok() {
            return Err(format!("{path} can be opened by commands"));
        }
    }
    Ok("no capability could be taken, the executor's memory could not be opened".to_owned())
}

fn empty_bounding_set() -> io::Result<()> {
    for capability in CapabilitySet::all() {
        match capability_is_in_bounding_set(capability) {
            Ok(true) => remove_capability_from_bounding_set(capability)?,
            // Unknown to this kernel.
            Ok(false) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    empty_newer_capabilities()
}

/// Those that the kernel has and the list in our library does not.
fn empty_newer_capabilities() -> io::Result<()> {
    let last = fs::read_to_string("/proc/sys/kernel/cap_last_cap").ok().and_then(|text| text.trim().parse().ok());
    for number in CapabilitySet::all().bits().count_ones()..=last.unwrap_or_default() {
        drop_capability(number)?;
    }
    Ok(())
}

#[expect(unsafe_code, reason = "a capability that has no name yet")]
fn drop_capability(number: u32) -> io::Result<()> {
    // SAFETY: numbers only; no memory is involved.
    let answer = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, libc::c_ulong::from(number), 0, 0, 0) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
