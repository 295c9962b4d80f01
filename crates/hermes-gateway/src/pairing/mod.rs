//! Pairing: somebody unknown gets a code, and whoever keeps the home lets them in with it.
//!
//! A code is shown to a stranger, so it decides nothing: only `hermes pairing approve`, typed on this machine, does. Strangers must not be
//! able to fill the disk or to guess: few codes wait at a time, they end after an hour, wrong guesses lock approving. Nothing is cached: who
//! was let in or thrown out a moment ago is so for the running gateway too.

mod code;
mod error;
mod files;
mod guesses;
mod store;

pub use error::PairingError;
pub use store::{Paired, Pairing, Waiting};
