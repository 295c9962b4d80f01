//! Why a chat in a terminal could not go on.

use std::io;

use hermes_proto::Explain;

#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    #[error("standard input and output are not a terminal")]
    NoTerminal,
    #[error("this terminal has no full screen")]
    NoScreen,
    #[error("cannot set up the terminal: {0}")]
    Mode(#[source] io::Error),
    #[error("cannot write to the terminal: {0}")]
    Write(#[source] io::Error),
    #[error("cannot read from the terminal: {0}")]
    Read(#[source] io::Error),
    #[error("cannot watch for signals: {0}")]
    Signals(#[source] io::Error),
    #[error("cannot start reading the keyboard: {0}")]
    Keyboard(#[source] io::Error),
    #[error("the keyboard is not read any more")]
    KeyboardGone,
}

impl Explain for TerminalError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoTerminal => Some("for one answer without a terminal: hermes chat -Q -q PROMPT".to_owned()),
            Self::NoScreen => Some("leave --tui out, or set TERM to what the terminal is".to_owned()),
            Self::Mode(_)
            | Self::Write(_)
            | Self::Read(_)
            | Self::Signals(_)
            | Self::Keyboard(_)
            | Self::KeyboardGone => None,
        }
    }
}
