//! Limits that the kernel keeps for each process.
//!
//! The number of processes is counted per user. That is only ours to limit inside a user
//! namespace (where the count starts at zero), and never for root, whom it does not bind.

use std::fs;
use std::io;

use hermes_proto::executor::Layer;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

use super::{Applied, Entering, Failed, Step, must_fail};

/// Before anything else on the machine, when memory runs out.
const OUT_OF_MEMORY_SCORE: &str = "500";

/// Offers this process and its children to be ended when memory runs out. Done first: later the
/// file may be out of reach.
pub(in crate::confine) fn volunteer() -> io::Result<()> {
    fs::write("/proc/self/oom_score_adj", OUT_OF_MEMORY_SCORE)
}

pub(super) fn apply(entering: &Entering<'_>) -> Result<Applied, Failed> {
    for (resource, most) in wanted(entering) {
        let value = most.min(getrlimit(resource).maximum.unwrap_or(u64::MAX));
        let limit = Rlimit { current: Some(value), maximum: Some(value) };
        setrlimit(resource, limit).step("setting a resource limit")?;
    }
    Ok(Applied::InForce)
}

pub(super) fn prove(entering: &Entering<'_>) -> Result<String, String> {
    let wanted = wanted(entering);
    for (resource, most) in &wanted {
        let found = getrlimit(*resource);
        if found.maximum.is_none_or(|found| found > *most) {
            return Err(format!("{resource:?} is not limited to {most}"));
        }
        let higher = Rlimit { current: found.current, maximum: found.maximum.map(|most| most.saturating_add(1)) };
        must_fail(&format!("raising {resource:?}"), setrlimit(*resource, higher), &[Errno::PERM])?;
    }
    if let Some(most) = getrlimit(Resource::Nofile).maximum.and_then(|most| i32::try_from(most).ok()) {
        must_fail("opening one file too many", duplicate_as(most), &[Errno::BADF])?;
    }
    Ok(format!("{} limits could not be raised, no descriptor beyond the last", wanted.len()))
}

fn wanted(entering: &Entering<'_>) -> Vec<(Resource, u64)> {
    let limits = &entering.confinement.limits;
    let mut wanted = vec![(Resource::Core, 0)];
    wanted.extend(limits.open_files.map(|most| (Resource::Nofile, most)));
    wanted.extend(limits.file_bytes.map(|most| (Resource::Fsize, most)));
    if entering.has(Layer::UserNamespace) && !getuid().is_root() {
        wanted.extend(limits.processes.map(|most| (Resource::Nproc, most)));
    }
    if !entering.has(Layer::Cgroup) {
        wanted.extend(limits.memory_bytes.map(|most| (Resource::Data, most)));
    }
    wanted
}

#[expect(unsafe_code, reason = "rustix wants to own the new descriptor, which must not come to be")]
fn duplicate_as(number: i32) -> rustix::io::Result<()> {
    // SAFETY: the number is beyond the limit; if it is taken all the same, nothing of ours had it.
    let answer = unsafe { libc::dup2(2, number) };
    if answer >= 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
}
