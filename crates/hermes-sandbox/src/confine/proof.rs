//! Tries, for every layer that is claimed, what it must prevent.
//!
//! In a process of its own: an attempt that succeeds may have changed it beyond use, and
//! what commands will be able to do is what a child of the confined process can do.

use std::fs::File;
use std::io::{Read, Write};
use std::time::Duration;

use hermes_proto::executor::{IsolationReport, Layer, LayerReport, LayerState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::family::{Forked, end, fork};
use super::layers::{Applied, Entering, Row, TABLE};
use super::{ConfineError, Mode};

/// A proof that takes longer hangs on something.
const LONGEST: Duration = Duration::from_secs(5);

/// Proves what is claimed; `Strict` also wants everything to be claimed.
pub(super) fn prove(entering: &Entering<'_>) -> Result<IsolationReport, ConfineError> {
    let claimed: Vec<_> = TABLE.iter().filter(|row| entering.has(row.layer)).collect();
    let proofs = try_all(entering, &claimed)?;
    let mut layers: Vec<_> = TABLE.iter().map(|row| report(entering, row, &proofs)).collect();
    layers.sort_by_key(|report| report.layer);
    let report = IsolationReport { layers };
    let missing: Vec<_> = report.missing().map(|(layer, reason)| (layer, reason.to_owned())).collect();
    if entering.confinement.mode == Mode::Strict && !missing.is_empty() {
        return Err(ConfineError::Missing { missing });
    }
    Ok(report)
}

/// The report when nothing was asked for.
pub(super) fn all_off() -> IsolationReport {
    let mut layers: Vec<_> = TABLE.iter().map(|row| LayerReport { layer: row.layer, state: LayerState::Off }).collect();
    layers.sort_by_key(|report| report.layer);
    IsolationReport { layers }
}

fn report(entering: &Entering<'_>, row: &Row, proofs: &[(Layer, String)]) -> LayerReport {
    let state = match entering.applied(row.layer) {
        Applied::NotWanted => LayerState::Off,
        Applied::Missing(reason) => LayerState::Missing { reason },
        Applied::InForce => {
            let proof = proofs.iter().find(|(layer, _)| *layer == row.layer);
            proof.map_or_else(
                || LayerState::Missing { reason: "not proven".to_owned() },
                |(_, proof)| LayerState::Proven { proof: proof.clone() },
            )
        }
    };
    LayerReport { layer: row.layer, state }
}

fn try_all(entering: &Entering<'_>, claimed: &[&Row]) -> Result<Vec<(Layer, String)>, ConfineError> {
    let prepare = |step| move |source: rustix::io::Errno| ConfineError::Prepare { step, source: source.into() };
    let (answers, question) = pipe_with(PipeFlags::CLOEXEC).map_err(prepare("making a pipe"))?;
    match fork().map_err(prepare("starting the proof"))? {
        Forked::Child => {
            drop(answers);
            answer(entering, claimed, &File::from(question))
        }
        Forked::Parent(child) => {
            drop(question);
            let proofs = collect(child, claimed, File::from(answers));
            let _ = waitpid(Some(child), WaitOptions::empty());
            proofs
        }
    }
}

/// In the child: a line for each layer, up to the first that does not hold.
fn answer(entering: &Entering<'_>, claimed: &[&Row], mut pipe: &File) -> ! {
    for row in claimed {
        let (word, text) = match (row.prove)(entering) {
            Ok(text) => ("holds", text),
            Err(text) => ("broken", text),
        };
        let line = format!("{word} {}\n", text.replace('\n', " "));
        if pipe.write_all(line.as_bytes()).is_err() || word == "broken" {
            break;
        }
    }
    end(0)
}

/// Waits for the end of the proof, and reads how far it came.
fn collect(child: Pid, claimed: &[&Row], mut pipe: File) -> Result<Vec<(Layer, String)>, ConfineError> {
    let has_ended = has_ended_within(LONGEST, &pipe);
    if !has_ended {
        let _ = kill_process(child, Signal::KILL);
    }
    let mut answers = String::new();
    // What cannot be read is missing below.
    let _ = pipe.read_to_string(&mut answers);
    let mut lines = answers.lines();
    let mut proofs = Vec::with_capacity(claimed.len());
    for row in claimed {
        match lines.next().and_then(|line| line.split_once(' ')) {
            Some(("holds", proof)) => proofs.push((row.layer, proof.to_owned())),
            Some(("broken", what)) => {
                return Err(ConfineError::NotInForce { layer: row.layer, what: what.to_owned() });
            }
            _ if has_ended => return Err(ConfineError::ProofLost(format!("ended at {}", row.layer))),
            _ => return Err(ConfineError::ProofLost(format!("{} did not answer", row.layer))),
        }
    }
    Ok(proofs)
}

/// Whether the writing end was closed. Lines that come before wake nobody: a pipe holds more than there can be.
fn has_ended_within(time: Duration, pipe: &File) -> bool {
    let Ok(timeout) = Timespec::try_from(time) else { return false };
    retry_on_intr(|| poll(&mut [PollFd::new(pipe, PollFlags::empty())], Some(&timeout))).is_ok_and(|ready| ready > 0)
}
