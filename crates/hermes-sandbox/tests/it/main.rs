//! Drives the gate for processes, the kernel probes and the confinement against the real kernel.
//!
//! The modules are marked as tests, so that their small functions may unwrap too.

#[cfg(test)]
mod confine;
#[cfg(test)]
mod helper;
#[cfg(test)]
mod kernel;
