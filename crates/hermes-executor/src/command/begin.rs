//! From a request to a running shell.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use hermes_proto::executor::{RequestFailure, RunCommand, Stdin};
use rustix::pipe::{PipeFlags, pipe_with};

use super::output::Output;
use crate::output::Bounded;
use crate::requests::OpenRequest;
use crate::session::Session;
use crate::shell::{self, Command, Keeps, Script, Shell, StartError};
use crate::state::{Before, Entered, Moves, create_memory, enter_explicit, enter_session};
use crate::stream::Stream;
use crate::wardens::{Guarded, Lifetime};

/// A command whose shell is running.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) guarded: Rc<Guarded>,
    pub(super) output: Output,
    /// Where its input is written to, if it gets any.
    pub(super) input: Option<Stream>,
    /// Where its shell leaves its state.
    pub(super) memory: OwnedFd,
    pub(super) before: Before,
    pub(super) moves: Moves,
    pub(super) notes: Vec<String>,
}

/// A shell, and where its output and its state come out.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) guarded: Rc<Guarded>,
    output: Stream,
    memory: OwnedFd,
}

/// A shell to be started, in this state.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub(super) command: Command<'a>,
    pub(super) keeps: Keeps,
    pub(super) before: &'a Before,
    pub(super) entered: &'a Entered,
    /// Its standard input, if it has any.
    pub(super) input: Option<BorrowedFd<'a>>,
}

/// Why no shell is running.
#[derive(Debug)]
pub(super) enum NotBegun {
    /// Nothing is wrong with the executor: the command's own directory is not there.
    NoDirectory(String),
    Failed(RequestFailure),
}

/// Starts the command's shell.
pub(super) fn begin(session: &Session, command: &RunCommand, request: &Rc<OpenRequest>) -> Result<Running, NotBegun> {
    if command.command.contains('\0') {
        return Err(NotBegun::Failed(RequestFailure::NulInCommand));
    }
    let before = session.state.borrow().before(shell::given(&session.own_environment, &command.environment));
    session.note_home(&before.environment);
    let (entered, moves) = enter(session, command, &before)?;
    // Whoever starts elsewhere than the session was has to tell where.
    let changes_nothing = entered.note.is_none() && shell::is_plain(&command.command, &before);
    let keeps = if changes_nothing { Keeps::Status } else { Keeps::State };
    let (started, input) = match session.next_shell.take(command, keeps, &before, &entered) {
        Some(started) => (started, None),
        None => start_now(session, command, keeps, &before, &entered)?,
    };
    let Started { guarded, output, memory } = started;
    let bounded = Bounded::new(command.limits, session.spill_folder.clone());
    let streamed_to = command.streams_output.then(|| (session.outbox.clone(), Rc::clone(request)));
    let output = Output::new(output, bounded, session.scratch.enter(), streamed_to);
    let notes = entered.note.into_iter().collect();
    Ok(Running { guarded, output, input, memory, before, moves, notes })
}

/// A shell that has its command, and where its input is written to.
fn start_now(
    session: &Session,
    command: &RunCommand,
    keeps: Keeps,
    before: &Before,
    entered: &Entered,
) -> Result<(Started, Option<Stream>), NotBegun> {
    let input = || -> io::Result<_> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        Ok((reader, Stream::writer(writer)?))
    };
    let input = match command.stdin {
        Stdin::Closed => None,
        Stdin::Streamed => Some(input().map_err(|error| cannot_start(&error))?),
    };
    let (reader, writer) = input.unzip();
    let (command, input) = (Command::Known(&command.command), reader.as_ref().map(AsFd::as_fd));
    Ok((Start { command, keeps, before, entered, input }.shell(session)?, writer))
}

impl Start<'_> {
    pub(super) fn shell(self, session: &Session) -> Result<Started, NotBegun> {
        let Self { command, keeps, before, entered, input } = self;
        let prepare = || -> io::Result<_> {
            let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
            Ok((Stream::reader(reader)?, writer, create_memory()?))
        };
        // All that can fail comes before the start: a shell that runs is always attended to.
        let (output, writer, memory) = prepare().map_err(|error| cannot_start(&error))?;
        let script = Script {
            command,
            definitions: &before.definitions,
            child_startup_file: before.environment.get(b"BASH_ENV".as_slice()).map(Vec::as_slice),
            keeps,
        };
        let shell = Shell {
            script: script.text(),
            environment: &before.environment,
            directory: entered.descriptor.as_fd(),
            input: input.unwrap_or(session.nothing.as_fd()),
            output: writer.as_fd(),
            state: Some(memory.as_fd()),
            command: command.source(),
            takes_terminal: false,
            tells_start: false,
        };
        let warden = shell.start().map_err(|error: StartError| cannot_start(&error))?;
        let guarded = session.wardens.adopt(warden, Lifetime::Link).map_err(|error| cannot_start(&error))?;
        Ok(Started { guarded, output, memory })
    }
}

fn enter(session: &Session, command: &RunCommand, before: &Before) -> Result<(Entered, Moves), NotBegun> {
    let state = session.state.borrow();
    let entered = match &command.working_directory {
        None => enter_session(state.directory()).map(|entered| (entered, Moves::Session)),
        Some(given) => {
            enter_explicit(given, state.directory(), &before.environment).map(|entered| (entered, Moves::Nothing))
        }
    };
    entered.map_err(|error| NotBegun::NoDirectory(error.to_string()))
}

fn cannot_start(error: &dyn std::error::Error) -> NotBegun {
    NotBegun::Failed(RequestFailure::CannotStart { detail: error.to_string() })
}
