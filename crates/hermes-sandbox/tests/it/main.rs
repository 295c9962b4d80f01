//! Drives the gate for processes and the kernel probes against the real kernel.
//!
//! The modules are marked as tests, so that their small functions may unwrap too.

#[cfg(test)]
mod helper;
#[cfg(test)]
mod kernel;
