//! The keyboard, on a thread of its own, since reading from it blocks.
//!
//! Two readers of one terminal steal each other's keys and each other's answers from the terminal. So one thread does all reading, for
//! one purpose at a time: a line with the line editor, or single keys. Whoever needs it for the other purpose calls it back: the thread looks
//! at a flag whenever the terminal was resized, and a resize can be pretended with a signal to oneself. So nothing polls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as blocking;
use std::time::Duration;

use crossterm::event::{Event, KeyEventKind};
use rustix::process::{Signal, getpid, kill_process};
use tokio::sync::mpsc;

use crate::conversation::Headline;
use crate::error::TerminalError;

/// Keys that wait to be looked at; more wait in the terminal.
const WAITING: usize = 64;

/// How reading ended.
#[derive(Debug)]
pub(crate) enum Read {
    Line(String),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    /// It was called back; what was typed of a line is kept for the next time.
    CalledBack,
    Failed(std::io::Error),
}

/// What the keyboard tells.
#[derive(Debug)]
pub(crate) enum Told {
    /// While single keys are read.
    Pressed(Event),
    Ended(Read),
}

/// Reads whole lines; runs on the keyboard's thread.
pub(crate) trait LineEditor {
    /// Reads a line that begins with `draft`, unless it is called back.
    fn read(&mut self, headline: &Headline, draft: String) -> Read;
}

/// A flag by which reading is called back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Call(Arc<AtomicBool>);

impl Call {
    pub(crate) fn make(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether reading was called back; says so once.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}

enum Request {
    Line { headline: Headline, draft: String },
    Keys,
}

#[derive(Debug)]
pub(crate) struct Keyboard {
    requests: blocking::SyncSender<Request>,
    told: mpsc::Receiver<Told>,
    call: Call,
}

impl Keyboard {
    /// Starts the thread; the editor is made on it.
    pub(crate) fn start<E: LineEditor>(make: impl FnOnce(Call) -> E + Send + 'static) -> Result<Self, TerminalError> {
        // Registers for resizes before the first call back could be missed.
        crossterm::event::poll(Duration::ZERO).map_err(TerminalError::Read)?;
        let (requests, incoming) = blocking::sync_channel(1);
        let (outgoing, told) = mpsc::channel(WAITING);
        let call = Call::default();
        let called = call.clone();
        let serve = move || serve(make(called.clone()), &called, &incoming, &outgoing);
        std::thread::Builder::new().name("keyboard".to_owned()).spawn(serve).map_err(TerminalError::Keyboard)?;
        Ok(Self { requests, told, call })
    }

    /// Starts reading a line that begins with what was typed already.
    pub(crate) fn read_line(&mut self, headline: Headline, draft: String) -> Result<(), TerminalError> {
        self.request(Request::Line { headline, draft })
    }

    /// Starts reading single keys.
    pub(crate) fn read_keys(&mut self) -> Result<(), TerminalError> {
        self.request(Request::Keys)
    }

    fn request(&mut self, request: Request) -> Result<(), TerminalError> {
        self.call.take();
        self.requests.try_send(request).map_err(|_| TerminalError::KeyboardGone)
    }

    /// What comes next. Safe to give up and call again.
    pub(crate) async fn next(&mut self) -> Result<Told, TerminalError> {
        self.told.recv().await.ok_or(TerminalError::KeyboardGone)
    }

    /// Ends reading: [`Read::CalledBack`] follows, unless it ended otherwise before that. A line editor without a screen cannot
    /// be called back; its line has to be ended by the person.
    pub(crate) fn call_back(&self) -> Result<(), TerminalError> {
        self.call.make();
        kill_process(getpid(), Signal::WINCH).map_err(|error| TerminalError::Read(error.into()))
    }
}

fn serve(mut editor: impl LineEditor, call: &Call, requests: &blocking::Receiver<Request>, told: &mpsc::Sender<Told>) {
    while let Ok(request) = requests.recv() {
        let read = match request {
            Request::Line { headline, draft } => editor.read(&headline, draft),
            Request::Keys => forward_keys(call, told),
        };
        if told.blocking_send(Told::Ended(read)).is_err() {
            return;
        }
    }
}

fn forward_keys(call: &Call, told: &mpsc::Sender<Told>) -> Read {
    loop {
        let event = match crossterm::event::read() {
            Ok(event) => event,
            Err(error) => return Read::Failed(error),
        };
        if matches!(event, Event::Resize(..)) && call.take() {
            return Read::CalledBack;
        }
        let is_release = matches!(&event, Event::Key(key) if key.kind == KeyEventKind::Release);
        if !is_release && told.blocking_send(Told::Pressed(event)).is_err() {
            return Read::End;
        }
    }
}
