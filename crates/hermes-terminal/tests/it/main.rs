//! Drives the chat in a real terminal, and one answer through pipes.
//!
//! The modules are marked as tests, so that their small functions may unwrap too.

#[cfg(test)]
mod line;
#[cfg(test)]
mod once;
#[cfg(test)]
mod questions;
#[cfg(test)]
mod restored;
#[cfg(test)]
mod screen;
#[cfg(test)]
mod tmux;
