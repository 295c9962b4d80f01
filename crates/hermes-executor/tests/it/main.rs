//! Drives the executor as a process, over a real pair of pipes.
//!
//! The modules are marked as tests, so that their small functions may unwrap too.

#[cfg(test)]
mod client;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod jobs;
#[cfg(test)]
mod link;
#[cfg(test)]
mod next_shell;
#[cfg(test)]
mod output;
#[cfg(test)]
mod script;
#[cfg(test)]
mod state;
