//! The shell of the next command, started while nobody has asked for it yet.
//!
//! Most of what a short command takes is the start of its shell. Between two commands of a turn the model is asked; in that time the next
//! shell can start and wait. Each command still has a shell of its own. The hazards:
//!
//! - It must not be told from a fresh one. It is used only if environment, functions, aliases and directory are what a fresh one would
//!   get; if not, it goes.
//! - Half a command may be another command. It is sent as one piece, which the kernel does not divide; a shell whose executor dies
//!   before it reads the end, and runs nothing.
//! - Somebody whom an earlier command left running might send it another one. It listens to a socket: a pipe of another process can
//!   be opened by its number in /proc, a socket cannot.
//! - It has all that a command has. What gets less, a script, begins after it has gone, and none is made while a script runs.
//! - It costs memory, and its start is for nothing if no command comes. It is made only after a command that it would have suited, and
//!   does not wait long.

use std::cell::{Cell, RefCell};
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use hermes_proto::executor::{RunCommand, Stdin};
use rustix::fs::fstat;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep};

use super::begin::{Start, Started};
use crate::session::Session;
use crate::shell::{self, Command, Keeps};
use crate::state::{Before, Entered, enter_session};
use crate::tasks;

/// The longest pause between two commands of one turn that is still worth a waiting shell.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest command that is sent to a waiting shell. A local socket takes it as one piece.
const LONGEST: usize = 4096;

/// What a session does about its next command.
#[derive(Debug, Default)]
pub(crate) struct NextShell {
    waiting: RefCell<Option<Waiting>>,
    last: RefCell<Option<Last>>,
    /// Commands and scripts that run. While there are any, nobody knows what the next command starts with.
    running: Rc<Cell<usize>>,
    is_closed: Cell<bool>,
}

/// As long as it lives, a command or a script runs.
#[derive(Debug)]
pub(crate) struct Busy(Rc<Cell<usize>>);

/// The last command that began.
#[derive(Debug)]
struct Last {
    environment: Vec<(String, String)>,
    /// Whether a shell that had been waiting would have suited it.
    was_worth_it: bool,
    /// When everything was over.
    over: Option<Instant>,
}

/// A shell without a command.
#[derive(Debug)]
struct Waiting {
    started: Started,
    /// Where its command is written to. Closed without one, the shell ends.
    command: OwnedFd,
    before: Before,
    directory: Directory,
    _patience: Patience,
}

/// Lets a shell go when it has waited long enough.
#[derive(Debug)]
struct Patience(AbortHandle);

/// A directory, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Directory {
    device: u64,
    inode: u64,
}

impl NextShell {
    /// Something begins to run.
    pub(crate) fn begin(&self) -> Busy {
        self.running.set(self.running.get() + 1);
        Busy(Rc::clone(&self.running))
    }

    /// The shell that waits for this command, if it suits it. One that does not is let go.
    pub(super) fn take(
        &self,
        command: &RunCommand,
        keeps: Keeps,
        before: &Before,
        entered: &Entered,
    ) -> Option<Started> {
        let text = shell::told(&command.command, keeps);
        let can_wait = command.stdin == Stdin::Closed && text.len() <= LONGEST;
        let environment = command.environment.clone();
        let comes_soon = |last: &Last| {
            last.over.is_some_and(|over| over.elapsed() < PATIENCE) && last.environment == command.environment
        };
        let was_worth_it = can_wait && self.last.borrow().as_ref().is_some_and(comes_soon);
        self.last.replace(Some(Last { environment, was_worth_it, over: None }));
        let waiting = self.waiting.take().filter(|waiting| can_wait && waiting.suits(before, entered))?;
        waiting.run(&text)
    }

    /// A command's answer has been sent: makes the next shell, if that is worth it.
    pub(crate) fn prepare(&self, session: &Rc<Session>) {
        if self.running.get() > 0 || self.is_closed.get() {
            return;
        }
        if let Some(last) = self.last.borrow_mut().as_mut().filter(|last| last.over.is_none()) {
            last.over = Some(Instant::now());
            if last.was_worth_it {
                // Without one the next command starts its own, and tells what is wrong.
                self.waiting.replace(Waiting::start(session, &last.environment));
            }
        }
    }

    /// Lets a waiting shell go, and returns when it is gone.
    pub(crate) async fn end(&self) {
        let waiting = self.waiting.take();
        if let Some(guarded) = waiting.map(|waiting| waiting.started.guarded) {
            guarded.end().await;
        }
    }

    /// No command will come.
    pub(crate) fn close(&self) {
        self.is_closed.set(true);
        self.waiting.take();
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Waiting {
    fn start(session: &Rc<Session>, environment: &[(String, String)]) -> Option<Self> {
        let before = session.state.borrow().before(shell::given(&session.own_environment, environment));
        if before.environment.contains_key(b"SECONDS".as_slice()) {
            // It would see another time than it was given.
            return None;
        }
        let entered = enter_session(session.state.borrow().directory()).ok()?;
        let directory = Directory::of(&entered)?;
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).ok()?;
        let (command, keeps) = (Command::Later(theirs.as_fd()), Keeps::State);
        let start = Start { command, keeps, before: &before, entered: &entered, input: None };
        let started = start.shell(session).ok()?;
        Some(Self { started, command: ours, before, directory, _patience: Patience::new(session) })
    }

    fn suits(&self, before: &Before, entered: &Entered) -> bool {
        *before == self.before && Directory::of(entered) == Some(self.directory)
    }

    /// Sends it its command; nothing if it is not there any more.
    fn run(self, command: &str) -> Option<Started> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let sent = rustix::io::retry_on_intr(|| send(&self.command, command.as_bytes(), flags));
        (sent == Ok(command.len())).then_some(self.started)
    }
}

impl Patience {
    fn new(session: &Rc<Session>) -> Self {
        let session = Rc::downgrade(session);
        let ends = tasks::spawn(async move {
            sleep(PATIENCE).await;
            if let Some(session) = session.upgrade() {
                session.next_shell.waiting.take();
            }
        });
        Self(ends.abort_handle())
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Directory {
    fn of(entered: &Entered) -> Option<Self> {
        let status = fstat(&entered.descriptor).ok()?;
        Some(Self { device: status.st_dev, inode: status.st_ino })
    }
}
