//! Signals to the container, and the order to end it.

use std::io;
use std::path::PathBuf;

use hermes_sandbox::process::Helper;
use rustix::process::{Pid, Signal, kill_process};

use crate::places::Places;

/// Where a signal went.
#[derive(Debug, PartialEq, Eq)]
pub enum Passed {
    ToProgram,
    /// To the keeper, which ends everything in order.
    ToKeeper,
    /// There is nobody to tell: the container ends.
    Ended,
}

/// The main program's number.
pub(super) fn program_file(places: &Places) -> PathBuf {
    places.state.join("program.pid")
}

/// Hands a signal that PID 1 got to whom it is meant for.
pub fn pass_on(places: &Places, signal: Signal) -> io::Result<Passed> {
    let (file, passed) = match signal {
        Signal::TERM => (places.main_process(), Passed::ToKeeper),
        _ => (program_file(places), Passed::ToProgram),
    };
    let number = std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok());
    match number.and_then(Pid::from_raw).map(|process| kill_process(process, signal)) {
        Some(Ok(())) => Ok(passed),
        // Not even begun, or gone: only an order to end still has a meaning.
        _ if signal == Signal::TERM => terminate(places).map(|()| Passed::Ended),
        _ => Ok(passed),
    }
}

/// Ends all services in order, then the container.
pub fn terminate(places: &Places) -> io::Result<()> {
    order(places, "-t")
}

/// Ends the container as it is.
pub(super) fn abort(places: &Places) -> io::Result<()> {
    order(places, "-b")
}

fn order(places: &Places, word: &str) -> io::Result<()> {
    let scanner = Helper::new(places.tool("s6-svscanctl")).args([word]).args([&places.scan]);
    scanner.run().map(drop).map_err(io::Error::other)
}
