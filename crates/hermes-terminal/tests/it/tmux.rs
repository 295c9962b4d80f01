//! The scripted chat in a terminal.

pub(crate) use hermes_testkit::{Setting, Tmux};

/// Starts it with these arguments in a terminal of 80 by 24.
pub(crate) fn start(arguments: &str) -> Tmux {
    start_in(arguments, &Setting::default())
}

pub(crate) fn start_in(arguments: &str, setting: &Setting<'_>) -> Tmux {
    Tmux::of(env!("CARGO_BIN_EXE_terminal-under-test")).start(arguments, setting)
}
