//! How a process confines itself, from the first look outside to the proof.

use std::fs;
use std::io;
use std::os::fd::BorrowedFd;

use hermes_proto::executor::{IsolationReport, Layer};
use rustix::io::FdFlags;
use rustix::thread::UnshareFlags;

use super::family::{Inside, Undivided, divide};
use super::layers::{Entering, Group, Stage, TABLE, volunteer};
use super::outside::Outside;
use super::places::Places;
use super::{ConfineError, Confinement, Mode, Network, proof};

/// What a test changes about the world or about us.
#[doc(hidden)]
#[derive(Debug, Clone, Default)]
pub struct Rehearsal {
    /// As if the kernel refused these. Without user namespaces there are none at all.
    pub unavailable: Vec<Layer>,
    /// Claimed although it was not put on: its proof has to notice.
    pub unapplied: Option<Layer>,
}

/// Confines this process, which must have one thread, and everything it starts from now on.
///
/// Returns in a confined process, which may be another one than before: the original then stays
/// outside, gives up its standard streams, ends with the confined one's exit code, and ends the
/// confined one when it is killed itself. In a process namespace the caller becomes its first process:
/// it has to wait for orphans, and everything inside ends with it.
///
/// The working directory is `/` afterwards, and descriptors above 2 are not passed on to programs. An
/// error means that this process may be confined in part: it must say so and end.
pub fn enter(confinement: &Confinement) -> Result<IsolationReport, ConfineError> {
    enter_rehearsed(confinement, &Rehearsal::default())
}

/// [`enter`] with a difference, for tests.
#[doc(hidden)]
pub fn enter_rehearsed(confinement: &Confinement, rehearsal: &Rehearsal) -> Result<IsolationReport, ConfineError> {
    if confinement.mode == Mode::Off {
        return Ok(proof::all_off());
    }
    let prepare = |step| move |source| ConfineError::Prepare { step, source };
    one_thread().map_err(prepare("counting threads"))?;
    let places = Places::resolve(confinement)?;
    let outside = Outside::observe(&places).map_err(prepare("looking at the outside"))?;
    let group = if confinement.limits.wants_group() && !rehearsal.unavailable.contains(&Layer::Cgroup) {
        Group::make(&confinement.limits)
    } else {
        Err("made unavailable".to_owned())
    };
    let mut entering = Entering::new(confinement, rehearsal, places, outside, group);
    let inside = become_inner(&mut entering).inspect_err(|_| tidy(&entering))?;
    std::env::set_current_dir("/").map_err(prepare("leaving the working directory"))?;
    keep_descriptors().map_err(prepare("keeping descriptors from programs"))?;
    apply(&entering, Stage::Restrictions)?;
    let report = proof::prove(&entering)?;
    if let Ok(group) = &entering.group {
        group.open_up().map_err(prepare("opening up the group"))?;
    }
    drop(inside);
    Ok(report)
}

/// With namespaces if they can be had, else without.
fn become_inner(entering: &mut Entering<'_>) -> Result<Inside, ConfineError> {
    let refused = if entering.rehearsal.unavailable.contains(&Layer::UserNamespace) {
        "made unavailable".to_owned()
    } else {
        match divide(entering.wanted_namespaces(), || settle(entering), || tidy(entering)) {
            Ok(inside) => return Ok(inside),
            Err(Undivided::Failed(error)) => return Err(error),
            Err(Undivided::Refused(reason)) => reason,
        }
    };
    if entering.confinement.network == Network::Loopback {
        return Err(ConfineError::Network { network: "loopback", reason: refused });
    }
    entering.give_up_namespaces(refused);
    divide(UnshareFlags::empty(), || settle(entering), || tidy(entering)).map_err(|error| match error {
        Undivided::Failed(error) => error,
        Undivided::Refused(reason) => {
            ConfineError::Prepare { step: "starting the confined process", source: io::Error::other(reason) }
        }
    })
}

/// In the inner process, where failing still leaves a way to try with less.
fn settle(entering: &Entering<'_>) -> Result<(), String> {
    volunteer().map_err(|error| format!("oom_score_adj: {error}"))?;
    apply(entering, Stage::Namespaces).map_err(|error| error.to_string())
}

/// Applies the layers of one stage, in their order.
fn apply(entering: &Entering<'_>, stage: Stage) -> Result<(), ConfineError> {
    TABLE.iter().filter(|row| row.stage == stage).try_for_each(|row| {
        entering.apply(row).map_err(|failed| ConfineError::Apply {
            layer: row.layer,
            step: failed.step,
            source: failed.source,
        })
    })
}

/// In the outer process, at the end.
fn tidy(entering: &Entering<'_>) {
    if let Ok(group) = &entering.group {
        group.end();
    }
}

fn one_thread() -> io::Result<()> {
    match fs::read_dir("/proc/self/task")?.count() {
        1 => Ok(()),
        threads => Err(io::Error::other(format!("there are {threads}, only one can be confined"))),
    }
}

/// What we were started with, or opened before, is not for commands.
#[expect(unsafe_code, reason = "the descriptors are known by number only")]
fn keep_descriptors() -> io::Result<()> {
    for entry in fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        if let Some(number) = number.filter(|number| *number > 2) {
            // SAFETY: the number was just listed, and this process has one thread that could close it.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            rustix::io::fcntl_setfd(descriptor, FdFlags::CLOEXEC)?;
        }
    }
    Ok(())
}
