//! Ending a gateway, and taking its place.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::{LifecycleError, Marker, Ownership, ProcessRecord, StopReason, running};

/// How long a process that was killed takes to be gone.
const KILLED: Duration = Duration::from_secs(10);

/// Ends the gateway of this home; whether there was one. Returns when it has ended.
pub fn stop(home: &Path, reason: StopReason, patience: Duration) -> Result<Option<ProcessRecord>, LifecycleError> {
    let Some(owner) = running(home) else { return Ok(None) };
    let handle = handle(&owner)?;
    Marker::leave(home, &owner, reason)?;
    signal(&handle, &owner, Signal::TERM)?;
    if !has_ended(&handle, patience) {
        return Err(LifecycleError::NotEnded { pid: owner.pid, waited: patience });
    }
    Ok(Some(owner))
}

/// Tells the gateway of this home that the signal it is about to get is meant, for those who leave the signal to somebody else.
pub fn announce(home: &Path) -> Result<(), LifecycleError> {
    running(home).map_or(Ok(()), |owner| Marker::leave(home, &owner, StopReason::Planned))
}

/// Takes the home, ending the gateway that has it. One that does not end in time is killed: everything it has acknowledged is on disk.
pub fn replace(home: &Path, patience: Duration) -> Result<Ownership, LifecycleError> {
    match stop(home, StopReason::Takeover, patience) {
        Ok(_) => {}
        Err(LifecycleError::NotEnded { .. }) => {
            if let Some(owner) = running(home) {
                let handle = handle(&owner)?;
                tracing::warn!(pid = owner.pid, "the gateway that is replaced did not end and is killed");
                signal(&handle, &owner, Signal::KILL)?;
                has_ended(&handle, KILLED);
            }
        }
        Err(error) => return Err(error),
    }
    Ownership::take_within(home, KILLED)
}

/// A hold on the very process: its number cannot be given to another meanwhile.
fn handle(owner: &ProcessRecord) -> Result<OwnedFd, LifecycleError> {
    let failed = |source: std::io::Error| LifecycleError::Signal { pid: owner.pid, source };
    let pid = i32::try_from(owner.pid).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
    let handle = pidfd_open(pid, PidfdFlags::empty()).map_err(|error| failed(error.into()))?;
    // Between reading its record and holding it, it may have become another.
    if owner.is_alive() { Ok(handle) } else { Err(failed(std::io::ErrorKind::NotFound.into())) }
}

fn signal(handle: &OwnedFd, owner: &ProcessRecord, signal: Signal) -> Result<(), LifecycleError> {
    match pidfd_send_signal(handle, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(LifecycleError::Signal { pid: owner.pid, source: error.into() }),
    }
}

/// Waits until the process has ended.
fn has_ended(handle: &OwnedFd, patience: Duration) -> bool {
    let until = std::time::Instant::now() + patience;
    loop {
        let left = until.saturating_duration_since(std::time::Instant::now());
        let limit = Timespec::try_from(left).ok();
        let mut waited = [PollFd::new(handle, PollFlags::IN)];
        match poll(&mut waited, limit.as_ref()) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}
