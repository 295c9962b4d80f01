//! The terminal's modes, and getting them back in every case.
//!
//! A program that leaves a terminal without echo, or on its alternate screen, leaves the person with a dead window. The state is
//! saved before anything is changed and put back on every way out: at the end, on an error, in a panic, on a signal.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

use crate::error::TerminalError;
use crate::text::Paint;

/// How a chat was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The person was done.
    Quit,
    /// This signal came; the exit code is `128` more.
    Signal(u8),
}

/// Whether somebody sits there: standard input and output are a terminal.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The terminal as it was found. Dropping the last of it puts that back.
#[derive(Debug)]
pub(crate) struct Terminal(Arc<Found>);

#[derive(Debug)]
struct Found {
    modes: Termios,
    paint: Paint,
    is_changed: AtomicBool,
    is_on_alternate_screen: AtomicBool,
    /// A panic elsewhere has put the modes back under a chat that goes on.
    was_disturbed: Notify,
}

impl Terminal {
    /// Remembers the terminal, and puts it back should there be a panic.
    pub(crate) fn take(paint: Paint) -> Result<Self, TerminalError> {
        if !is_interactive() {
            return Err(TerminalError::NoTerminal);
        }
        let modes = tcgetattr(rustix::stdio::stdin()).map_err(|error| TerminalError::Mode(error.into()))?;
        let found = Arc::new(Found {
            modes,
            paint,
            is_changed: AtomicBool::new(true),
            is_on_alternate_screen: AtomicBool::new(false),
            was_disturbed: Notify::new(),
        });
        let hooked = found.clone();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if hooked.is_changed.load(Ordering::Acquire) {
                hooked.put_back();
                hooked.was_disturbed.notify_one();
            }
            before(panic);
        }));
        Ok(Self(found))
    }

    /// Keys come one by one and unseen, Ctrl-C is a key; output is as ever.
    pub(crate) fn read_keys(&self) -> Result<(), TerminalError> {
        let mut modes = self.0.modes.clone();
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        // Return is Return, not a line feed, which is how Ctrl-J comes.
        modes.input_modes -= InputModes::ICRNL;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        set(&modes).map_err(TerminalError::Mode)
    }

    /// As it was found, for as long as nobody reads keys.
    pub(crate) fn read_lines(&self) -> Result<(), TerminalError> {
        set(&self.0.modes).map_err(TerminalError::Mode)
    }

    /// Keys as [`Terminal::read_keys`], on a screen of its own.
    pub(crate) fn enter_screen(&self) -> Result<(), TerminalError> {
        self.read_keys()?;
        self.0.is_on_alternate_screen.store(true, Ordering::Release);
        self.write(b"\x1b[?1049h\x1b[?2004h\x1b[2J")
    }

    /// Pasted text comes as one event instead of as keys.
    pub(crate) fn mark_pastes(&self) -> Result<(), TerminalError> {
        self.write(b"\x1b[?2004h")
    }

    fn write(&self, sequence: &[u8]) -> Result<(), TerminalError> {
        if self.0.paint == Paint::Nothing {
            return Ok(());
        }
        let mut output = io::stdout().lock();
        output.write_all(sequence).and_then(|()| output.flush()).map_err(TerminalError::Write)
    }

    /// Resolves when a panic elsewhere has put the modes back.
    pub(crate) async fn was_disturbed(&self) {
        self.0.was_disturbed.notified().await;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.0.put_back();
        self.0.is_changed.store(false, Ordering::Release);
    }
}

impl Found {
    /// Leaves the alternate screen, shows the cursor, ends bracketed paste and every style.
    fn put_back(&self) {
        // Leaving an alternate screen that was not entered would move the cursor.
        let leave = if self.is_on_alternate_screen.swap(false, Ordering::AcqRel) { "\x1b[?1049l" } else { "" };
        if self.paint != Paint::Nothing {
            // Whoever cannot be written to any more needs no terminal either.
            let mut output = io::stdout();
            let _ = output.write_all(format!("{leave}\x1b[?2004l\x1b[?25h\x1b[0m").as_bytes());
            let _ = output.flush();
        }
        let _ = set(&self.modes);
    }
}

fn set(modes: &Termios) -> io::Result<()> {
    // Now, and keep what was typed: a flush would lose type-ahead.
    Ok(tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, modes)?)
}

/// Signals that concern a chat.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signalled {
    /// As Ctrl-C.
    Interrupt,
    Leave(Left),
}

impl Signals {
    pub(crate) fn watch() -> Result<Self, TerminalError> {
        let watched = |kind| signal(kind).map_err(TerminalError::Signals);
        Ok(Self {
            interrupt: watched(SignalKind::interrupt())?,
            terminate: watched(SignalKind::terminate())?,
            hangup: watched(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn next(&mut self) -> Signalled {
        const HANGUP: u8 = 1;
        const TERMINATE: u8 = 15;
        tokio::select! {
            _ = self.interrupt.recv() => Signalled::Interrupt,
            _ = self.terminate.recv() => Signalled::Leave(Left::Signal(TERMINATE)),
            _ = self.hangup.recv() => Signalled::Leave(Left::Signal(HANGUP)),
        }
    }
}
